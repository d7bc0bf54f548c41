import Testing
import TillCore

@Suite("Whom a change is put down to")
struct AttributionTests {
    static let actors: [Actor] =
        [
            .staff(StaffID(rawValue: "stf_1"), name: "Ada"), .key(id: "key_1f2e", label: "till 2"),
            .key(id: "1f2e3d4c", label: nil), .owner, .operatingSystemUser(uid: 1000, name: "shop"),
            .device(DeviceID(rawValue: "tmr_1")), .provider(ProviderName(rawValue: "stripe")), .customer, .stranger,
            .unattributed,
        ] + TillDuty.allCases.map { .till($0) }

    @Test("is read as it was written", arguments: actors)
    func roundTrip(_ actor: Actor) throws {
        var whole = Attribution(actor, approvedBy: .staff(StaffID(rawValue: "stf_2"), name: "Bo"), request: "req_1")
        whole.device = DeviceID(rawValue: "dev_1")
        whole.address = "192.0.2.7"
        for attribution in [Attribution(actor), whole] {
            var writer = JSONWriter()
            attribution.write(into: &writer)
            #expect(Attribution(try JSONValue(parsing: writer.bytes)) == attribution)
        }
    }

    @Test("keeps the word of a kind that only a later release knows, and refuses what is none")
    func laterKinds() throws {
        let later = try JSONValue(parsing: Array(#"{"kind":"robot","id":"7","arms":2}"#.utf8))
        #expect(Attribution(later)?.actor == .unrecognized(kind: "robot"))
        for text in [#"{}"#, #"{"kind":7}"#, #"{"kind":"staff"}"#, #"{"kind":"os_user","id":"root"}"#, "[]", "null"] {
            #expect(Attribution(try JSONValue(parsing: Array(text.utf8))) == nil, "\(text)")
        }
    }

    @Test("keeps no card number and no more of a name than its limit")
    func names() throws {
        var writer = JSONWriter()
        Actor.key(id: "1f2e", label: "4242 4242 4242 4242 " + String(repeating: "ä", count: 200)).write(into: &writer)
        let read = try #require(Actor(try JSONValue(parsing: writer.bytes))?.name)
        #expect(read.hasPrefix("**** **** **** 4242 ä"))
        #expect(read.utf8.count <= Actor.maximumNameBytes)
    }

    @Test("follows the task and those that it starts, and is without the address where events keep it")
    func current() async {
        #expect(Attribution.current == nil)
        await Attribution.$current.withValue(Attribution(.owner, request: "r", address: "192.0.2.7")) {
            #expect(Attribution.inEvents == Attribution(.owner, request: "r"))
            let within = Task { Attribution.current?.actor }
            #expect(await within.value == .owner)
            await Attribution.of(.recovery) { #expect(Attribution.current == Attribution(.till(.recovery))) }
        }
    }
}
