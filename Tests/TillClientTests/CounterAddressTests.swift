import Testing
import TillClient
import TillCore

@Suite("The address of a counter")
struct CounterAddressTests {
    @Test(
        "a counter is reached over TLS, and without it only on the machine itself",
        arguments: [
            "https://counter.example.com", "https://counter.example.com:8443/shop/", "http://127.0.0.1:8080",
            "http://localhost", "http://[::1]:8080",
        ])
    func accepted(_ text: String) throws {
        let address = try CounterAddress(text)
        #expect(!address.basePath.hasSuffix("/"))
        #expect(text.hasPrefix(address.description))
    }

    @Test(
        "every other address is refused by name",
        arguments: [
            ("http://counter.example.com", CounterAddressError.plainHTTP(host: "counter.example.com")),
            ("http://127.0.0.1.example.com", .plainHTTP(host: "127.0.0.1.example.com")),
            ("http://10.0.0.7:8080", .plainHTTP(host: "10.0.0.7")),
            ("https://key@counter.example.com", .hasCredentials), ("https://a:b@counter.example.com", .hasCredentials),
            ("https://counter.example.com?key=1", .hasQuery), ("https://counter.example.com#start", .hasQuery),
            ("ftp://counter.example.com", .unreadable), ("counter.example.com", .unreadable), ("", .unreadable),
        ])
    func refused(_ text: String, _ error: CounterAddressError) {
        #expect(throws: error) { try CounterAddress(text) }
        #expect(error.moneyMoved == .no)
    }

    @Test("a key that could end a header is refused", arguments: ["", "a b", "key\r\nX-Other: 1", "schlüssel"])
    func keys(_ text: String) throws {
        let address = try CounterAddress("https://counter.example.com")
        #expect(throws: CounterAddressError.invalidKey) { try CounterClient(address: address, key: Secret(text)) }
    }

    @Test("a client shows its key to nobody")
    func masked() throws {
        let client = try CounterClient(
            address: CounterAddress("https://counter.example.com"), key: Secret(Given.key))
        var text = "\(client) \(String(reflecting: client))"
        dump(client, to: &text)
        #expect(!text.contains(Given.key))
    }
}
