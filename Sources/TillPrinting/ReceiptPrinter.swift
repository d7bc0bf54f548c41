public import TillCanvas
public import TillCore
public import TillHardware
public import TillReceipts

/// One printer, whatever it speaks.
public struct ReceiptPrinter: PrinterService {
    /// Where it is.
    public let address: PrinterAddress
    /// What an ESC/POS printer can do.
    public let profile: ESCPOSProfile
    private let pin: PrinterConnection.Pin?
    private let deadline: Span
    private let clock: any TillClock

    /// A printer.
    /// - Parameters:
    ///   - profile: for printers that speak ESC/POS.
    ///   - pin: the certificate that an `ipps` printer must show; `nil`: one that the machine trusts.
    ///   - deadline: how long a receipt is followed.
    public init(
        _ address: PrinterAddress, profile: ESCPOSProfile = .wide, pin: PrinterConnection.Pin? = nil,
        deadline: Span = .seconds(60), clock: any TillClock = SystemClock()
    ) {
        self.address = address
        self.profile = profile
        self.pin = pin
        self.deadline = deadline
        self.clock = clock
    }

    /// Prints; an outcome that is not on paper is thrown.
    public func printReceipt(content: ReceiptContent) async throws {
        let outcome = try await print(ReceiptDocument(content), name: "Receipt \(content.orderNumber.plain)")
        switch outcome {
        case .printed, .handedOver: return
        case .failed, .mayHavePrinted: throw PrintFailure(outcome: outcome)
        }
    }

    /// Prints and says what became of it.
    /// - Throws: ``IPPError`` if nothing was printed and nothing will be.
    public func print(
        _ document: ReceiptDocument, name: String, copies: Int = 1,
        progress: @Sendable (PrintProgress) async -> Void = { _ in }
    ) async throws(IPPError) -> PrintOutcome {
        switch address {
        case .ipp(let address):
            let canvas: Canvas
            do { canvas = try Canvas() } catch { throw .noMedia(error.what) }
            let connection = try PrinterConnection(address, pin: pin)
            let printer = IPPPrinter(
                client: IPPClient(uri: address.uri, carrier: connection), canvas: canvas, clock: clock)
            do {
                let outcome = try await printer.print(
                    document, name: name, copies: copies, deadline: deadline, progress: progress)
                await connection.shutdown()
                return outcome
            } catch {
                await connection.shutdown()
                throw error
            }
        case .socket, .device:
            let lines = (try? Canvas()).map { CanvasLines($0) }
            let one = ReceiptRenderer.escpos(document, profile: profile, rasterizer: lines).bytes
            let all = Array(repeating: one, count: min(max(1, copies), 10)).flatMap { $0 }
            return try await RawPrinter(address).send(all)
        }
    }

    /// Follows a job whose number is known, after a crash.
    public func follow(job: Int) async throws(IPPError) -> PrintOutcome {
        guard case .ipp(let address) = address else { return .mayHavePrinted("This printer knows no jobs.") }
        let canvas: Canvas
        do { canvas = try Canvas() } catch { throw .noMedia(error.what) }
        let connection = try PrinterConnection(address, pin: pin)
        let printer = IPPPrinter(
            client: IPPClient(uri: address.uri, carrier: connection), canvas: canvas, clock: clock)
        let outcome = await printer.follow(job, until: clock.now().adding(deadline))
        await connection.shutdown()
        return outcome
    }

    /// How it stands.
    public func state() async throws(IPPError) -> PrinterState {
        switch address {
        case .ipp(let address):
            let connection = try PrinterConnection(address, pin: pin)
            do {
                let state = PrinterState(
                    try await IPPClient(uri: address.uri, carrier: connection).printerAttributes())
                await connection.shutdown()
                return state
            } catch {
                await connection.shutdown()
                throw error
            }
        case .socket, .device: return try await RawPrinter(address).state()
        }
    }

    /// Opens the cash drawer on the printer's plug: a permission of its own, so no receipt does it.
    public func openDrawer(pin: Int = 2) async throws(IPPError) -> PrintOutcome {
        try await RawPrinter(address).send(ESCPOSCommand.initialize + ESCPOSCommand.drawer(pin: pin))
    }
}

/// A receipt that is not on paper, or may be.
public struct PrintFailure: ExplainedError, Hashable {
    /// What became of it.
    public let outcome: PrintOutcome

    /// The stable word.
    public var code: String {
        switch outcome {
        case .mayHavePrinted: "receipt_may_have_printed"
        case .failed, .printed, .handedOver: "receipt_not_printed"
        }
    }
    /// What happened.
    public var what: String { outcome.sentence }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "The payment stands as it is; the receipt can be printed again." }

    /// A failure.
    public init(outcome: PrintOutcome) { self.outcome = outcome }
}
