import HTTPTypes
import Synchronization
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks

@Suite("Where webhooks are sent")
struct WebhookAddressTests {
    @Test(
        "Addresses of the Internet are reached",
        arguments: [
            "1.1.1.1", "93.184.216.34", "11.0.0.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.0",
            "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e", "::ffff:1.1.1.1",
        ])
    func global(_ text: String) throws {
        let address = try #require(ClientAddress(text))
        #expect(AddressReach(address) == .global)
    }

    @Test(
        "Addresses of the machine and its networks are reached only if the endpoint allows it",
        arguments: [
            "127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
            "100.64.0.1", "100.127.255.255", "::1", "fc00::1", "fdff::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        ])
    func inside(_ text: String) throws {
        let reach = AddressReach(try #require(ClientAddress(text)))
        #expect(reach == .inside)
        #expect(reach.isAllowed(private: true) && !reach.isAllowed(private: false))
    }

    @Test(
        "Metadata, link-local, multicast, reserved and translated addresses are never reached",
        arguments: [
            "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "100.100.100.200",
            "168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1",
            "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.88.99.1",
            // The same as IPv6: unspecified, compatible, NAT64 (both prefixes), 6to4, Teredo, and what is nobody's.
            "::", "::10.0.0.1", "::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::", "2002:7f00:1::1",
            "2001:0:53aa:64c::1", "2001:db8::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "100::1", "3fff::1",
            "fd00:ec2::254", "4000::1",
        ])
    func refused(_ text: String) throws {
        let reach = AddressReach(try #require(ClientAddress(text)))
        #expect(reach == .refused)
        #expect(!reach.isAllowed(private: true) && !reach.isAllowed(private: false))
    }

    @Test(
        "URLs of the Internet",
        arguments: [
            ("https://shop.example/till", "shop.example", "https://shop.example/till"),
            ("https://Shop.Example", "shop.example", "https://shop.example/"),
            ("https://shop.example:8443?a=b", "shop.example", "https://shop.example:8443/?a=b"),
            ("https://1.1.1.1/x%20y", "1.1.1.1", "https://1.1.1.1/x%20y"),
            ("https://[2606:4700::1111]/x", "2606:4700::1111", "https://[2606:4700::1111]/x"),
            ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
        ])
    func urls(_ text: String, _ host: String, _ whole: String) throws {
        let url = try WebhookURL(text, allowsPrivate: false)
        #expect(url.host == host && url.text == whole && url.isSecure)
        #expect(url.url != nil)
    }

    @Test(
        "URLs that are none, or lead elsewhere than they seem to",
        arguments: [
            "", "shop.example", "ftp://shop.example/", "https:/shop.example", "https://", "https://user@shop.example/",
            "https://shop.example:0/", "https://shop.example:65536/", "https://shop.example/#part",
            "https://shop.example/a b", "https://shop.example/\u{0}", "https://shop.example/%zz",
            "https://shop.example\\@a/",
            "https://bücher.example/", "https://[::1", "https://[fe80::1%25eth0]/", "HTTPS://shop.example/",
            "https://shop.example/\r\nHost: a",
        ])
    func malformed(_ text: String) {
        #expect(throws: WebhookURLError.form) { try WebhookURL(text, allowsPrivate: true) }
    }

    @Test("Without TLS, and to internal addresses, only by permission; to some never; and none of any length")
    func policy() throws {
        #expect(throws: WebhookURLError.plain) { try WebhookURL("http://shop.example/", allowsPrivate: false) }
        #expect(throws: WebhookURLError.plain) { try WebhookURL("http://127.0.0.1:8080/", allowsPrivate: false) }
        #expect(throws: WebhookURLError.inside("127.0.0.1")) {
            try WebhookURL("https://127.0.0.1/", allowsPrivate: false)
        }
        #expect(throws: WebhookURLError.inside("localhost")) {
            try WebhookURL("https://localhost/", allowsPrivate: false)
        }
        #expect(throws: WebhookURLError.refused("169.254.169.254")) {
            try WebhookURL("http://169.254.169.254/latest", allowsPrivate: true)
        }
        #expect(try WebhookURL("http://127.0.0.1:8080/x", allowsPrivate: true).isSecure == false)
        let long = "https://shop.example/" + String(repeating: "a", count: WebhookLimits.urlBytes)
        #expect(throws: WebhookURLError.tooLong) { try WebhookURL(long, allowsPrivate: true) }
    }

    /// A name with addresses of a test's choice.
    private struct Names: HostResolver {
        let found: [String]

        func addresses(of host: String) async -> [ClientAddress]? { found.compactMap { ClientAddress($0) } }
    }

    @Test("A name with one internal address among others is not connected to, and one that is not found neither")
    func rebinding() async throws {
        let url = try WebhookURL("https://shop.example/", allowsPrivate: false)
        for (found, failure) in [
            (["1.1.1.1", "10.0.0.1"], WebhookFailure.address("10.0.0.1")),
            (["::ffff:127.0.0.1"], .address("127.0.0.1")), (["169.254.169.254"], .address("169.254.169.254")),
            ([], .nameNotFound),
        ] {
            await #expect(throws: failure) {
                try await PinnedTransport(resolver: Names(found: found)).post(
                    [], to: url, fields: [], allowsPrivate: false, attempt: 0)
            }
        }
        await #expect(throws: WebhookFailure.address("169.254.169.254")) {
            try await PinnedTransport(resolver: Names(found: ["169.254.169.254"])).post(
                [], to: url, fields: [], allowsPrivate: true, attempt: 0)
        }
    }

    @Test("A request by the checked transport goes to no address inside unless that is allowed, and never link-local")
    func checkedTransport() async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "shop.example:8443", path: "/")
        func reason(_ found: [String], inside: Bool) async -> TransportFailure? {
            let transport = CheckedTransport(allowsPrivate: inside, resolver: Names(found: found))
            do throws(TransportFailure) {
                _ = try await transport.send(request, body: [], deadline: .seconds(5))
                return nil
            } catch { return error }
        }
        let refused = TransportFailure.notSent(reason: "its address is inside the counter's network, or nobody's")
        for found in [["1.1.1.1", "10.0.0.1"], ["127.0.0.1"], ["::1"], ["::ffff:192.168.1.2"], ["fd00::1"]] {
            #expect(await reason(found, inside: false) == refused, "\(found)")
            #expect(
                await CheckedTransport(allowsPrivate: true, resolver: Names(found: found)).mayReach("shop.example"))
        }
        for found in [["169.254.169.254"], ["fe80::1"], ["64:ff9b::a9fe:a9fe"], ["::169.254.169.254"], ["0.0.0.0"]] {
            #expect(await reason(found, inside: true) == refused, "\(found)")
        }
        #expect(await reason([], inside: false) == .notSent(reason: "the host's name was not found"))
        let far = CheckedTransport(allowsPrivate: false)
        for host in ["127.0.0.1", "::1", "10.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001"] {
            #expect(await far.mayReach(host) == false, "\(host)")
        }
    }

    /// Leads inside, and counts how often it was asked.
    private final class Counted: HostResolver {
        let calls = Mutex(0)

        func addresses(of host: String) async -> [ClientAddress]? {
            calls.withLock { $0 += 1 }
            return [.loopback]
        }
    }

    @Test("A name to which many requests go at once is looked for once, and no request goes to its address unchecked")
    func sharedLookUp() async throws {
        let names = Counted()
        let transport = CheckedTransport(allowsPrivate: false, resolver: names, lookUpValidity: .seconds(3_600))
        let reached = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { await transport.mayReach("shop.example") } }
            return await group.reduce(0) { count, isReached in count + (isReached ? 1 : 0) }
        }
        #expect(reached == 0)
        #expect(names.calls.withLock { $0 } == 1)
        _ = await transport.mayReach("other.example")
        #expect(names.calls.withLock { $0 } == 2, "another name is another question")
    }

    @Test("Forms of an address that only a resolver understands are checked as what it makes of them")
    func shorthand() async throws {
        for host in ["127.1", "2130706433", "0x7f000001"] {
            let url = try WebhookURL("https://\(host)/", allowsPrivate: false)
            await #expect(throws: WebhookFailure.address("127.0.0.1")) {
                try await PinnedTransport().post([], to: url, fields: [], allowsPrivate: false, attempt: 0)
            }
        }
    }
}
