import Synchronization
import Testing
import TillCore
import TillTestSupport

/// A machine: true time passes, and its clock is wrong by as much as a test says.
private final class Machine: TillClock {
    private let state = Mutex((true: ManualClock.start, error: Int64(0)))

    var time: Timestamp { state.withLock(\.true) }
    func passes(_ span: Span) { state.withLock { $0.true = $0.true.adding(span) } }
    func isWrong(by span: Span) { state.withLock { $0.error = span.milliseconds } }
    func now() -> Timestamp { state.withLock { $0.true.adding(.milliseconds($0.error)) } }
    func sleep(for span: Span) async throws {}

    /// A process starts on it.
    func clock(floor: Timestamp? = ManualClock.start, proved: Timestamp? = nil, hasWitnesses: Bool) -> WitnessedClock {
        let clock = WitnessedClock(self, monotonic: { Span(milliseconds: self.time.milliseconds) })
        clock.compare(floor: floor, proved: proved ?? floor, hasWitnesses: hasWitnesses)
        return clock
    }
}

@Suite("A clock that is held against others")
struct WitnessedClockTests {
    private let machine = Machine()

    @Test("before it was compared it decides nothing; with an empty journal there is nothing to decide")
    func opening() {
        let clock = WitnessedClock(machine, monotonic: { .milliseconds(0) })
        #expect(clock.standing == .doubted(.notCompared))
        clock.compare(floor: nil, proved: nil, hasWitnesses: true)
        #expect(clock.standing == .trusted)
    }

    @Test("one that fits the journal waits for a provider, where there is one")
    func unproved() {
        machine.passes(.hours(3))
        #expect(machine.clock(hasWitnesses: false).standing == .trusted)
        let clock = machine.clock(hasWitnesses: true)
        #expect(clock.standing == .unproved)
        machine.passes(.days(3))
        #expect(clock.standing == .unproved)
        clock.witness(machine.time, from: "api")
        #expect(clock.standing == .trusted)
    }

    @Test("behind the journal the time goes on from its newest entry") func behind() {
        machine.isWrong(by: .days(-2))
        for hasWitnesses in [true, false] {
            let clock = machine.clock(hasWitnesses: hasWitnesses)
            #expect(clock.standing == .doubted(.behindJournal(by: .days(2))))
            #expect(clock.now() == machine.time)
            machine.passes(.days(3))
            #expect(clock.standing.doubt != nil, "that time passed proves nothing")
            machine.passes(.days(-3))
        }
    }

    @Test("a provider that confirms the clock overrules a journal that was written too far ahead") func wrongJournal() {
        let clock = machine.clock(floor: machine.time.adding(.days(300)), hasWitnesses: true)
        #expect(clock.standing == .doubted(.behindJournal(by: .days(300))))
        clock.witness(machine.time, from: "api")
        #expect(clock.standing == .trusted)
        #expect(clock.now() == machine.time)
    }

    @Test("far ahead of the last confirmed moment it is in doubt, although it wrote to the journal meanwhile")
    func ahead() {
        machine.isWrong(by: .days(35))
        let wrong = machine.clock(floor: machine.now(), proved: machine.time, hasWitnesses: true)
        #expect(wrong.standing == .doubted(.aheadOfProof(by: .days(35))))
        wrong.witness(machine.time, from: "api")
        #expect(wrong.standing == .doubted(.contradicted(by: "api", off: .days(35))))
        #expect(wrong.now() == machine.time, "the provider's time is the better one")
        machine.isWrong(by: .days(0))
        #expect(wrong.standing == .trusted)
    }

    @Test("a counter that was closed for a month is confirmed by the first answer") func holidays() {
        machine.passes(.days(31))
        let clock = machine.clock(hasWitnesses: true)
        #expect(clock.standing == .doubted(.aheadOfProof(by: .days(31))))
        clock.witness(machine.time.adding(.seconds(-59)), from: "api")
        #expect(clock.standing == .trusted)
    }

    @Test("without providers a month ahead is taken after an even day, or at a person's word") func alone() {
        machine.passes(.days(31))
        let clock = machine.clock(hasWitnesses: false)
        machine.passes(.hours(23))
        #expect(clock.standing.doubt != nil)
        machine.passes(.hours(2))
        #expect(clock.standing == .trusted)
        let other = machine.clock(hasWitnesses: false)
        other.confirm()
        #expect(other.standing == .trusted)
    }

    @Test(
        "a clock that is set while the process runs is not followed",
        arguments: [Span.days(35), .days(-2), .minutes(6)])
    func jump(_ span: Span) {
        let clock = machine.clock(hasWitnesses: true)
        clock.witness(machine.time, from: "api")
        machine.isWrong(by: span)
        machine.passes(.minutes(1))
        #expect(clock.standing == .doubted(.jumped(by: span)))
        #expect(clock.now() == machine.time)
        machine.isWrong(by: .days(0))
        #expect(clock.standing == .trusted)
    }

    @Test("a small step is followed, and many small ones are not") func steps() {
        let clock = machine.clock(hasWitnesses: false)
        #expect(clock.standing == .trusted)
        machine.isWrong(by: .minutes(4))
        #expect(clock.standing == .trusted)
        machine.isWrong(by: .minutes(8))
        #expect(clock.standing == .doubted(.jumped(by: .minutes(8))))
    }

    @Test("one provider's word against a clock that was confirmed is a doubt, and the time goes on as it was")
    func contradiction() {
        let clock = machine.clock(hasWitnesses: true)
        clock.witness(machine.time, from: "one")
        clock.witness(machine.time.adding(.days(-3)), from: "other")
        #expect(clock.standing == .doubted(.contradicted(by: "other", off: .days(3))))
        #expect(clock.now() == machine.time)
        clock.witness(machine.time, from: "one")
        #expect(clock.standing == .trusted)
    }

    @Test("no time is too far away") func extremes() {
        for moment in [Int64.min, .max, 0] {
            let clock = machine.clock(floor: Timestamp(milliseconds: moment), hasWitnesses: true)
            clock.witness(Timestamp(milliseconds: moment), from: "api")
            _ = (clock.standing, clock.now(), clock.standing.doubt?.sentence, clock.standing.doubt?.off)
        }
    }
}
