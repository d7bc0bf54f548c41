import Testing
@testable import TillCounter

@testable import TillServer

@Suite("Addresses of clients and networks of proxies")
struct ClientAddressTests {
    @Test(
        "An address is read in each of its spellings",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0:0:0:0:1"),
            ("2001:db8::5", "2001:db8:0:0:0:0:0:5"), ("0.0.0.0", "0.0.0.0"), ("10.99.100.9", "10.99.100.9"),
            ("255.255.255.255", "255.255.255.255"), ("fe80::1:ff00:8000", "fe80:0:0:0:0:1:ff00:8000"),
        ])
    func spellings(text: String, shown: String) throws {
        #expect(try #require(ClientAddress(text)).description == shown)
    }

    @Test(
        "What is none is refused",
        arguments: [
            "", "x", "192.0.2", "192.0.2.256", "::1%eth0", "[::1]", "192.0.2.1:80", String(repeating: "1", count: 99),
        ])
    func refused(text: String) { #expect(ClientAddress(text) == nil) }

    @Test("A household is an address, and in IPv6 a network of 64 bits")
    func households() throws {
        let (one, other) = (try #require(ClientAddress("2001:db8::1")), try #require(ClientAddress("2001:db8::2")))
        #expect(one != other && one.household == other.household)
        #expect(try one.household != #require(ClientAddress("2001:db8:0:1::1")).household)
        #expect(try #require(ClientAddress("192.0.2.1")).household != #require(ClientAddress("192.0.2.2")).household)
        // ::1 shares its first 64 bits with other addresses that are not of this machine.
        #expect(try #require(ClientAddress("::1")).household.isLoopback)
    }

    @Test(
        "A network contains its addresses and no other",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false), ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe80::1", false),
            ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("::1", "::1", true), ("::1", "127.0.0.1", false),
            ("128.0.0.0/1", "200.0.0.1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
        ])
    func networks(network: String, address: String, isInside: Bool) throws {
        let range = try #require(NetworkRange(network))
        #expect(try range.contains(#require(ClientAddress(address))) == isInside)
    }

    @Test(
        "A network that is none, that has bits behind its length, or that is everything is refused",
        arguments: [
            "10.0.0.1/8", "0.0.0.0/0", "::/0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "x/8", "10.0.0.0/8/8",
        ])
    func refusedNetworks(text: String) { #expect(NetworkRange(text) == nil) }

    @Test("A list of networks has commas between and a limit")
    func lists() {
        #expect(NetworkRange.list(parsing: " 10.0.0.0/8 , ::1")?.count == 2)
        #expect(NetworkRange.list(parsing: "") == nil)
        #expect(NetworkRange.list(parsing: "10.0.0.0/8, proxy") == nil)
        let many = Array(repeating: "10.0.0.0/8", count: NetworkRange.most + 1).joined(separator: ",")
        #expect(NetworkRange.list(parsing: many) == nil)
    }
}
