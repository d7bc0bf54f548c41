import Logging
import NIOCore
import Synchronization
import Testing
import TillCore
@testable import TillCounter
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Places for connections")
struct ConnectionGateTests {
    /// Connections that were closed, by number.
    private final class Closed: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private let closed = Closed()

    private func gate(_ all: Int, perAddress: Int = 100, near: Int = 100, probes: Int = 1) -> ConnectionGate {
        ConnectionGate(
            "main", places: .init(all: all, perAddress: perAddress, perNearAddress: near, forProbes: probes),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isNear: { $0.isLoopback })
    }

    private func time(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    private func enter(
        _ gate: ConnectionGate, _ number: Int, from address: String = "192.0.2.1", at seconds: UInt64
    ) throws -> ConnectionPlace? {
        gate.enter(try #require(ClientAddress(address)), at: time(seconds)) { [closed] in closed.add(number) }
    }

    @Test("Where all places are taken, the one that waits longest without a request makes room")
    func oldestFirst() throws {
        let gate = gate(3)
        let first = try #require(try enter(gate, 1, at: 1))
        _ = try #require(try enter(gate, 2, at: 2))
        _ = try #require(try enter(gate, 3, at: 3))
        #expect(first.begin(), "a sale is in flight")
        #expect(try enter(gate, 4, at: 4)?.isForProbes == false)
        #expect(closed.all == [2])
        #expect(gate.open == 3)
        #expect(gate.counts[.madeRoom] == 1)
    }

    @Test("Who was let in with a key stays longer than strangers, whatever these have asked")
    func known() throws {
        let gate = gate(3)
        let clerk = try #require(try enter(gate, 1, at: 1))
        #expect(clerk.begin())
        clerk.known()
        clerk.answered(at: time(2))
        let stranger = try #require(try enter(gate, 2, at: 3))
        #expect(stranger.begin())
        stranger.answered(at: time(4))
        _ = try enter(gate, 3, at: 5)
        _ = try enter(gate, 4, at: 6)
        #expect(closed.all == [2], "one that has just come stays for its first request")
    }

    @Test("With a request in progress on each, only a place for probes is left, and then none")
    func full() throws {
        let gate = gate(2)
        for number in 1...2 { #expect(try #require(try enter(gate, number, at: 1)).begin()) }
        let probe = try #require(try enter(gate, 3, at: 2))
        #expect(probe.isForProbes && probe.begin())
        #expect(try enter(gate, 4, at: 3) == nil)
        #expect(closed.all == [])
        #expect(gate.counts[.full] == 1)
        gate.leave(probe)
        #expect(try enter(gate, 5, at: 4)?.isForProbes == true)
    }

    @Test("A place for probes on which nobody asks makes room for the next")
    func idleProbe() throws {
        let gate = gate(1)
        #expect(try #require(try enter(gate, 1, at: 1)).begin())
        _ = try enter(gate, 2, at: 2)
        #expect(try enter(gate, 3, at: 3)?.isForProbes == true)
        #expect(closed.all == [2])
    }

    @Test("One address has its share, and makes room by itself alone")
    func perAddress() throws {
        let gate = gate(10, perAddress: 2)
        _ = try enter(gate, 1, from: "192.0.2.9", at: 1)
        for number in 2...4 { _ = try enter(gate, number, at: UInt64(number)) }
        #expect(closed.all == [2])
        #expect(try enter(gate, 5, from: "2001:db8::1", at: 5) != nil)
        #expect(try enter(gate, 6, from: "2001:db8::2", at: 6) != nil)
        #expect(try enter(gate, 7, from: "2001:db8::3", at: 7) != nil)
        #expect(closed.all == [2, 5])
        for number in 8...12 { _ = try enter(gate, number, from: "127.0.0.1", at: UInt64(number)) }
        #expect(closed.all == [2, 5], "this machine has more")
    }

    @Test("A place that was taken begins nothing, and one that has begun is not taken")
    func eitherOr() throws {
        let gate = gate(1, probes: 0)
        let place = try #require(try enter(gate, 1, at: 1))
        #expect(place.take(at: time(2)))
        #expect(!place.begin())
        let other = try #require(try enter(self.gate(1), 2, at: 1))
        #expect(other.begin())
        #expect(!other.take(at: time(2)))
        other.answered(at: time(3))
        #expect(other.take(at: time(3)))
    }

    @Test("Who waits for a body may be taken, and does nothing then")
    func awaitedBody() throws {
        let place = try #require(try enter(gate(1), 1, at: 1))
        #expect(place.begin())
        #expect(place.readiness(at: time(2)) == nil)
        #expect(place.startWork())
        #expect(place.readiness(at: time(2)) == nil)
        place.startWaiting()
        #expect(place.readiness(at: time(2)) != nil)
        #expect(place.endWaiting())
        #expect(place.readiness(at: time(2)) == nil, "now it works")
        place.startWaiting()
        #expect(place.take(at: time(3)))
        #expect(!place.endWaiting())
        #expect(!place.startWork())
    }

    @Test("Who waits because somebody guesses gives the place away, and is refused then")
    func guessers() async throws {
        let gate = gate(1, probes: 0)
        let place = try #require(try enter(gate, 1, at: 1))
        #expect(place.begin() && place.startWork())
        let clock = ManualClock(waits: .last)
        let guesses = GuessLimiter(
            of: "key", longestDelay: .seconds(2), clock: clock, logger: Logger(label: "test"))
        for _ in 0..<20 { _ = guesses.note("a", at: .now) }
        let connection = Connection(peer: .loopback, isEncrypted: false, place: place, gate: gate)
        let waiting = Task {
            try await Connection.$current.withValue(connection) { try await guesses.refuse(from: "a") }
        }
        while guesses.waiting == 0 { await Task.yield() }
        for _ in 0..<2_000 where place.readiness(at: time(2)) == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(place.take(at: time(2)))
        clock.advance(by: .seconds(2))
        let refusal = await #expect(throws: Problem.self) { try await waiting.value }
        #expect(refusal?.code == "too_many_guesses")
    }

    @Test("Who leaves an answer unread may be taken after a moment")
    func unread() throws {
        let place = try #require(try enter(gate(1), 1, at: 1))
        #expect(place.begin())
        place.unread(since: time(10))
        #expect(place.readiness(at: time(10))?.rank == 0, "a stranger at once")
        place.known()
        #expect(place.readiness(at: time(10)) == nil)
        #expect(place.readiness(at: time(11))?.rank == 2)
        #expect(place.startWork())
        #expect(place.readiness(at: time(20)) == nil, "the next request is worked on, whatever is unread")
        place.endWork()
        place.unread(since: nil)
        #expect(place.readiness(at: time(20)) == nil)
    }

    @Test("Places that are left are free")
    func leaving() throws {
        let gate = gate(2)
        let place = try #require(try enter(gate, 1, at: 1))
        gate.leave(place)
        gate.leave(place)
        #expect(gate.open == 0)
        for number in 2...3 { #expect(try #require(try enter(gate, number, at: 2)).begin()) }
        #expect(gate.open == 2 && closed.all == [])
    }

    @Test("The limit of open files keeps a reserve; with a listener for the public the clerk has the larger part")
    func budget() {
        #expect(ConnectionBudget(files: 256, set: nil, listeners: 1).all == 256 - 96 - 16)
        #expect(ConnectionBudget(files: 1_000_000, set: nil, listeners: 1).all == 4_096)
        #expect(
            ConnectionBudget(files: 256, set: 4_000, listeners: 1).all == 144, "never more than there are files for")
        #expect(ConnectionBudget(files: 1_000, set: 100, listeners: 1).all == 100)
        #expect(ConnectionBudget(files: 32, set: nil, listeners: 1).all == 16)
        let budget = ConnectionBudget(files: 256, set: nil, listeners: 1)
        #expect(ConnectionBudget(files: 256, set: nil, listeners: 2).all == 256 - 96 - 2 * 16)
        func places(_ isPublic: Bool, _ hasPublic: Bool) -> ConnectionGate.Places {
            budget.places(ofPublic: isPublic, hasPublic: hasPublic, perAddress: 64, perNearAddress: nil)
        }
        #expect(places(false, false) == .init(all: 140, perAddress: 64, perNearAddress: 140, forProbes: 4))
        #expect(places(false, true).all + places(false, true).forProbes + places(true, true).all == 144)
        #expect(places(true, true) == .init(all: 48, perAddress: 48, perNearAddress: 48, forProbes: 0))
    }
}
