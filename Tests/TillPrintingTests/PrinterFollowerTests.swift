import Foundation
import Synchronization
import Testing
import TillCanvas
import TillCore
import TillReceipts
import TillTestSupport

@testable import TillPrinting

/// A printer that answers as it is told to.
private final class ScriptedPrinter: IPPCarrier {
    private let state: Mutex<(job: Int, name: String, cancels: Int, asked: Int)>
    let endsAfterCancel: Bool

    init(job: Int, name: String, endsAfterCancel: Bool = true) {
        state = Mutex((job, name, 0, 0))
        self.endsAfterCancel = endsAfterCancel
    }

    var cancels: Int { state.withLock { $0.cancels } }

    func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        let request = try IPPMessage(parsing: bytes)
        let answer: IPPMessage.Group = state.withLock { state in
            // Who asks for good would be told in the end that it is done.
            state.asked += 1
            if state.asked > 10_000 { state.job = 9 }
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

/// A printer that gives no list of its jobs, or only that of those that are done.
private struct ListlessPrinter: IPPCarrier {
    let listsDone: Bool

    func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        let request = try IPPMessage(parsing: bytes)
        let isDone = request.groups.flatMap(\.attributes).strings("which-jobs").first == "completed"
        guard listsDone, isDone else { throw .unreachable("it is out of reach", mayHaveArrived: true) }
        let job = IPPMessage.Group(
            tag: IPPTag.jobGroup,
            [IPPAttribute("job-id", .integer(7)), IPPAttribute("job-name", .text("Receipt 1", tag: IPPTag.name))])
        return IPPMessage(code: 0, requestID: request.requestID, groups: [.init(tag: 1), job]).bytes
    }
}

/// A printer that is busy with others for so many questions.
private final class BusyPrinter: IPPCarrier {
    private let asked = Mutex(0)
    let until: Int

    init(until: Int) { self.until = until }

    var tries: Int { asked.withLock { $0 } }

    func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        let request = try IPPMessage(parsing: bytes)
        var groups = [IPPMessage.Group(tag: IPPTag.operationGroup, [])]
        var status: UInt16 = 0
        switch request.code {
        case IPPClient.Operation.validateJob.rawValue:
            let tries = asked.withLock { count in
                count += 1
                return count
            }
            if tries <= until { status = 0x0507 }
        case IPPClient.Operation.getPrinterAttributes.rawValue:
            groups.append(
                .init(
                    tag: IPPTag.printerGroup,
                    [IPPAttribute("document-format-supported", .text("application/pdf", tag: IPPTag.mimeType))]))
        default:
            groups.append(
                .init(
                    tag: IPPTag.jobGroup,
                    [IPPAttribute("job-id", .integer(1)), IPPAttribute("job-state", .enumeration(9))]))
        }
        return IPPMessage(code: status, requestID: request.requestID, groups: groups).bytes
    }
}

@Suite("A printer that is busy with others")
struct BusyPrinterTests {
    private func print(_ printer: BusyPrinter) async throws -> (outcome: PrintOutcome?, error: IPPError?, took: Span) {
        let clock = ManualClock(waits: .moveTime())
        let price = Money(minorUnits: 100, currency: .eur)
        let content = ReceiptContent(
            store: StoreDetails(name: "Shop"), locale: Locale(identifier: "en_US"),
            paymentID: PaymentID(rawValue: "pay_1"), orderNumber: "1", date: clock.now(), verdict: .paid,
            lineItems: [ReceiptLineItem(name: "Tea", amount: price)], summary: [], total: price,
            transaction: ReceiptTransaction(.sale, .approved), captured: price, refunded: price)
        let client = IPPClient(uri: "ipp://h/ipp/print", carrier: printer)
        do throws(IPPError) {
            let outcome = try await IPPPrinter(client: client, canvas: try canvas(), clock: clock).print(
                ReceiptDocument(content), name: "Receipt 1", deadline: .seconds(60)
            ) { _ in }
            return (outcome, nil, clock.now().since(ManualClock.start))
        } catch { return (nil, error, clock.now().since(ManualClock.start)) }
    }

    private func canvas() throws(IPPError) -> Canvas {
        do { return try Canvas() } catch { throw .notDrawn(error) }
    }

    @Test("is asked again until it has time")
    func patient() async throws {
        guard (try? Canvas()) != nil else { return }
        let printer = BusyPrinter(until: 5)
        let done = try await print(printer)
        #expect(done.outcome == .printed && printer.tries == 6)
    }

    @Test("is left alone when the deadline comes, and nothing was sent to it")
    func deadline() async throws {
        guard (try? Canvas()) != nil else { return }
        let printer = BusyPrinter(until: 1_000)
        let done = try await print(printer)
        #expect(done.error?.isBusy == true && done.outcome == nil)
        #expect(done.took > .seconds(50) && done.took <= .seconds(60))
        #expect(printer.tries < 40)
    }
}

@Suite("Jobs followed to their end")
struct PrinterFollowerTests {
    private func follow(_ printer: ScriptedPrinter) async throws(IPPError) -> PrintOutcome {
        let clock = ManualClock(waits: .moveTime())
        let follower = PrinterFollower(client: IPPClient(uri: "ipp://h/ipp/print", carrier: printer), clock: clock)
        return try await follower.follow(1, named: "Receipt 1", until: clock.now().adding(.seconds(60))) { _ in }
    }

    @Test("what the printer has not begun in time is canceled, and certainly not printed", arguments: [3, 4])
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

    @Test("a printer that gives no list is not said to have no such job; one list is enough to find it")
    func listless() async throws {
        func follower(_ printer: ListlessPrinter) -> PrinterFollower {
            PrinterFollower(client: IPPClient(uri: "ipp://h/ipp/print", carrier: printer), clock: ManualClock())
        }
        await #expect(throws: IPPError.self) { try await follower(.init(listsDone: false)).find(named: "Receipt 1") }
        #expect(try await follower(.init(listsDone: true)).find(named: "Receipt 1") == 7)
        await #expect(throws: IPPError.self) { try await follower(.init(listsDone: true)).find(named: "Receipt 2") }
    }

    @Test("what will not be canceled may have printed")
    func stays() async throws {
        let printer = ScriptedPrinter(job: 3, name: "Receipt 1", endsAfterCancel: false)
        guard case .mayHavePrinted = try await follow(printer) else {
            Issue.record("It is not known.")
            return
        }
    }

    @Test("what the printer has begun is never canceled")
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
