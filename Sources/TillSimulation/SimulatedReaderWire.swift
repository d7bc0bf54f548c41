import HTTPTypes
import Synchronization
import TillCore
import TillSandbox
import TillStandInStripe
import TillTestSupport

/// The network between a counter and Stripe's readers: it loses, delays and repeats messages, is used by a process that
/// may die, and sometimes reports a wrong reader state.
struct SimulatedReaderWire: HTTPTransport {
    let incarnation: SimulatedWorld.Incarnation
    let world: SimulatedWorld
    /// The last two states of each reader, from which an outdated one is reported.
    private let slots = Slots()

    private final class Slots: Sendable {
        struct Slot {
            var now: JSONValue
            var before: JSONValue?
        }
        let known = Mutex<[String: Slot]>([:])
    }

    init(incarnation: SimulatedWorld.Incarnation, world: SimulatedWorld) {
        self.incarnation = incarnation
        self.world = world
    }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        if incarnation.isDead { return try await silence(deadline) }
        let isQuery = request.method == .get
        if !isQuery, world.mayCrash(incarnation, at: "before a call") { return try await silence(deadline) }
        do { try await world.clock.sleep(for: .milliseconds(world.number(5...(isQuery ? 80 : 400)))) } catch {
            throw .unknown(reason: "canceled")
        }
        if world.clock.now() < world.state.withLock({ $0.outageUntil }) {
            world.count("outage")
            throw world.chance(300) ? .notSent(reason: "connection refused") : .unknown(reason: "503")
        }
        let reply = try await carry(request, body, deadline)
        if !isQuery, world.mayCrash(incarnation, at: "after a call") { return try await silence(deadline) }
        return isQuery ? gossip(request, reply) : reply
    }

    private func carry(
        _ request: HTTPRequest, _ body: [UInt8], _ deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let world = world
        let incarnation = incarnation
        @Sendable func arrive() async throws(TransportFailure) -> HTTPReply {
            guard world.arrives(from: incarnation) else { throw .unknown(reason: "no answer") }
            let reply = try await world.readers.stripe.send(request, body: body, deadline: deadline)
            if request.method != .get { world.note("\(request.path ?? "") \(reply.response.status.code)") }
            return reply
        }
        guard !world.isCalm else { return try await arrive() }
        switch world.number(0...999) {
        case 0..<10:
            world.count("request lost")
            return try await silence(deadline)
        case 10..<25:
            world.count("response lost after commit")
            _ = try await arrive()
            return try await silence(deadline)
        case 25..<35 where request.method != .get:
            world.count("slow beyond the deadline")
            world.spawn {
                await world.pause(25_000...200_000)
                _ = try? await arrive()
            }
            return try await silence(deadline)
        case 35..<45:
            world.count("delivered twice")
            _ = try await arrive()
            return try await arrive()
        default: return try await arrive()
        }
    }

    private func silence(_ deadline: Span) async throws(TransportFailure) -> HTTPReply {
        try? await world.clock.sleep(for: deadline)
        throw .unknown(reason: "no answer in time")
    }

    // MARK: What is reported of a reader

    /// Returns a false reader state at times: succeeded, failed, or the previous one.
    private func gossip(_ request: HTTPRequest, _ reply: HTTPReply) -> HTTPReply {
        let parts = (request.path ?? "").split(separator: "/")
        guard parts.count == 4, parts[1] == "terminal", parts[2] == "readers", reply.response.status == .ok,
            !world.isCalm, let json = try? JSONValue(parsing: reply.body), let action = json["action"]
        else { return reply }
        let before = slots.known.withLock { known -> JSONValue? in
            let name = String(parts[3])
            guard let slot = known[name] else {
                known[name] = Slots.Slot(now: action)
                return nil
            }
            if slot.now != action { known[name] = Slots.Slot(now: action, before: slot.now) }
            return known[name]?.before
        }
        let isRunning = action["status"] == .string("in_progress")
        switch world.number(0...999) {
        case 0..<15 where isRunning:
            world.count("reader says that it is done, and it is not")
            return reported(reply, json, action.with("status", .string("succeeded")))
        case 15..<30 where isRunning:
            world.count("reader says that it failed, and it has not")
            return reported(
                reply, json, action.with("status", .string("failed")).with("failure_code", .string("card_declined")))
        case 30..<60 where action["status"] == .string("succeeded"):
            world.count("reader says that it failed, and it is done")
            return reported(
                reply, json, action.with("status", .string("failed")).with("failure_code", .string("card_declined")))
        case 60..<90:
            guard let before else { return reply }
            world.count("reader says what it said before")
            return reported(reply, json, before)
        default: return reply
        }
    }

    private func reported(_ reply: HTTPReply, _ json: JSONValue, _ action: JSONValue) -> HTTPReply {
        var reply = reply
        reply.body = Array(json.with("action", action).text.utf8)
        return reply
    }
}

extension JSONValue {
    /// Returns the same object with a member replaced or added.
    func with(_ key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = value
        } else {
            members.append(JSONMember(key: key, value: value))
        }
        return .object(members)
    }
}
