import Synchronization
import Testing
import TillCore

@testable import TillPrinting

/// A printer that answers as it is told to.
private final class ScriptedPrinter: IPPCarrier {
    private let state: Mutex<(job: Int, name: String, cancels: Int)>
    let endsAfterCancel: Bool

    init(job: Int, name: String, endsAfterCancel: Bool = true) {
        state = Mutex((job, name, 0))
        self.endsAfterCancel = endsAfterCancel
    }

    var cancels: Int { state.withLock { $0.cancels } }

    func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        let request = try IPPMessage(parsing: bytes)
        let answer: IPPMessage.Group = state.withLock { state in
            if request.code == IPPClient.Operation.cancelJob.rawValue {
                state.cancels += 1
                if endsAfterCancel { state.job = 7 }
            }
            return .init(
                tag: IPPTag.jobGroup,
                [
                    IPPAttribute("job-id", .integer(1)), IPPAttribute("job-state", .enumeration(state.job)),
                    IPPAttribute("job-name", .text(state.name, tag: IPPTag.name)),
                ])
        }
        return IPPMessage(code: 0, requestID: request.requestID, groups: [.init(tag: 1), answer]).bytes
    }
}

/// Time that passes only when somebody sleeps.
private final class SleepingClock: TillClock {
    private let time = Mutex(Timestamp(milliseconds: 0))
    func now() -> Timestamp { time.withLock { $0 } }
    func sleep(for span: Span) async throws { time.withLock { $0 = $0.adding(span) } }
}

@Suite("Jobs followed to their end")
struct PrinterFollowerTests {
    private func follow(_ printer: ScriptedPrinter) async throws(IPPError) -> PrintOutcome {
        let clock = SleepingClock()
        let follower = PrinterFollower(client: IPPClient(uri: "ipp://h/ipp/print", carrier: printer), clock: clock)
        return try await follower.follow(1, named: "Receipt 1", until: clock.now().adding(.seconds(60))) { _ in }
    }

    @Test("what the printer has not begun in time is called off, and certainly not printed", arguments: [3, 4])
    func neverBegan(_ state: Int) async {
        let printer = ScriptedPrinter(job: state, name: "Receipt 1")
        do {
            _ = try await follow(printer)
            Issue.record("It was taken for something else.")
        } catch {
            guard case .neverBegan = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(printer.cancels == 1)
    }

    @Test("what will not be called off may have printed")
    func stays() async throws {
        let printer = ScriptedPrinter(job: 3, name: "Receipt 1", endsAfterCancel: false)
        guard case .mayHavePrinted = try await follow(printer) else {
            Issue.record("It is not known.")
            return
        }
    }

    @Test("what the printer has begun is never called off")
    func processing() async throws {
        let printer = ScriptedPrinter(job: 5, name: "Receipt 1")
        guard case .mayHavePrinted(let why) = try await follow(printer) else {
            Issue.record("It is not known.")
            return
        }
        #expect(why.contains("has not finished"))
        #expect(printer.cancels == 0)
    }

    @Test("a job of another name is not ours, whatever became of it: the printer was switched off and on")
    func anotherJob() async throws {
        let printer = ScriptedPrinter(job: 9, name: "Somebody's letter")
        guard case .mayHavePrinted = try await follow(printer) else {
            Issue.record("It was taken for ours.")
            return
        }
        #expect(printer.cancels == 0)
        #expect(try await follow(ScriptedPrinter(job: 9, name: "Receipt 1")) == .printed)
    }
}

@Suite("Pictures for printers")
struct JPEGPictureTests {
    @Test("the zigzag and the codes are the standard's")
    func tables() {
        #expect(JPEGPicture.zigzag.prefix(10) == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24])
        #expect(JPEGPicture.zigzag.suffix(3) == [55, 62, 63])
        #expect(Set(JPEGPicture.zigzag).count == 64)
        #expect(JPEGCodes.frequencies.counts.reduce(0) { $0 + Int($1) } == JPEGCodes.frequencies.symbols.count)
        // Annex K.3: end of block 1010, sixteen zeros 11111111001.
        #expect(JPEGCodes.frequencies.codes[0x00] == (0b1010, 4))
        #expect(JPEGCodes.frequencies.codes[0xF0] == (0b111_1111_1001, 11))
    }

    @Test("rows that do not fit their sides are refused")
    func sides() {
        #expect(JPEGPicture.bytes(width: 3, height: 2, rows: [0, 1, 2], dotsPerInch: 203) == nil)
        #expect(JPEGPicture.bytes(width: 0, height: 2, rows: [], dotsPerInch: 203) == nil)
        #expect(
            JPEGPicture.bytes(width: 70_000, height: 1, rows: Array(repeating: 0, count: 70_000), dotsPerInch: 1) == nil
        )
        #expect(
            JPEGPicture.bytes(width: 3, height: 1, rows: [0, 128, 255], dotsPerInch: 203)?.suffix(2) == [0xFF, 0xD9])
    }
}
