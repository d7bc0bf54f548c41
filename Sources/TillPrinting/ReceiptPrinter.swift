public import TillCanvas
public import TillCore
public import TillPrinterService
public import TillReceipts

/// A receipt printer with IPP or ESC/POS. A value: each call opens and closes its own connection, so calls may run
/// concurrently; a printer that accepts only one connection refuses the second.
///
/// ```swift
/// import TillReceipts
///
/// let address = try PrinterAddress(parsing: "ipp://printer.local/ipp/print")
/// let printer = ReceiptPrinter(address)
/// let outcome = try await printer.print(ReceiptDocument(receipt), name: "Receipt 4711")
/// print(outcome.sentence)
/// ```
public struct ReceiptPrinter: PrinterService {
    /// The certificate that a printer must present, and the credentials for it.
    public struct Access: Sendable {
        /// The certificate that an `ipps` printer must present; `nil`: one signed by an authority that the machine
        /// trusts.
        public var pin: PrinterPin?
        /// Credentials, sent only after the printer requested them.
        public var credentials: PrinterCredentials?

        /// Creates access; by default any trusted certificate, and no user.
        public init(pin: PrinterPin? = nil, credentials: PrinterCredentials? = nil) {
            self.pin = pin
            self.credentials = credentials
        }
    }

    /// The default time limit for following a receipt until it is on paper.
    public static let defaultDeadline = Span.seconds(60)

    /// The address, which also determines the protocol: IPP, or ESC/POS over TCP or a device file.
    public let address: PrinterAddress
    /// Columns, code pages and commands of an ESC/POS printer; an IPP printer is queried for its own.
    public let profile: ESCPOSProfile
    private let access: Access
    private let deadline: Span
    private let clock: any TillClock

    /// Creates a printer without opening a connection.
    /// - Parameters:
    ///   - profile: for printers that speak ESC/POS.
    ///   - deadline: the time limit for following a receipt, after which its outcome is unknown.
    public init(
        _ address: PrinterAddress, profile: ESCPOSProfile = .wide, access: Access = Access(),
        deadline: Span = ReceiptPrinter.defaultDeadline, clock: any TillClock = SystemClock()
    ) {
        self.address = address
        self.profile = profile
        self.access = access
        self.deadline = deadline
        self.clock = clock
    }

    /// Prints a receipt; throws any outcome that is not on paper.
    /// - Throws: `ReceiptError` if the content is inconsistent, without contacting the printer. ``IPPError`` if nothing
    ///   was printed, ``PrintFailure`` if that is not certain.
    public func printReceipt(content: ReceiptContent) async throws {
        try content.check()
        let outcome = try await print(ReceiptDocument(content), name: "Receipt \(content.name.plain)")
        switch outcome {
        case .printed, .handedOver: return
        case .failed, .mayHavePrinted: throw PrintFailure(outcome: outcome)
        }
    }

    /// Prints a receipt and returns its outcome.
    /// - Parameter paper: the paper to print on; `nil`: the printer's own.
    /// - Throws: ``IPPError`` if nothing was printed and nothing will be.
    public func print(
        _ document: ReceiptDocument, name: String, copies: Int = 1, on paper: Paper? = nil,
        listener: PrintListener = { _ in }
    ) async throws(IPPError) -> PrintOutcome {
        switch address {
        case .ipp(let address):
            let canvas: Canvas
            do { canvas = try Canvas() } catch { throw .notDrawn(error) }
            return try await connected(address) { client throws(IPPError) in
                try await IPPPrinter(client: client, canvas: canvas, clock: clock).print(
                    document, name: name, copies: copies, on: paper, deadline: deadline, listener: listener)
            }
        case .socket, .device:
            let profile = try profile(for: paper)
            let one: [UInt8]
            do throws(CanvasError) {
                one = try ESCPOSReceipt(drawing: document, profile: profile).bytes
            } catch { throw .notDrawn(error) }
            let all = Array(repeating: one, count: min(max(1, copies), 10)).flatMap { $0 }
            return try await raw.send(all, listener: listener)
        }
    }

    private var raw: RawPrinter { RawPrinter(address, reportsState: profile.reportsState) }

    /// Returns the profile of an ESC/POS printer for a paper; narrow paper in a wide printer has fewer columns.
    private func profile(for paper: Paper?) throws(IPPError) -> ESCPOSProfile {
        guard let paper else { return profile }
        guard paper.height == nil else { throw .noMedia("a receipt printer has no \(paper.words)") }
        guard paper == .roll58 else {
            guard profile.dots > ESCPOSProfile.narrow.dots else {
                throw .noMedia("the printer's profile is \(profile.name), too narrow for an \(paper.words)")
            }
            return profile
        }
        var narrow = profile
        narrow.columns = min(profile.columns, ESCPOSProfile.narrow.columns)
        narrow.dots = min(profile.dots, ESCPOSProfile.narrow.dots)
        return narrow
    }

    /// Follows a job by its number or name, after a crash while it was being sent.
    /// - Parameter deadline: the time for the printer to start; a started job gets the whole deadline.
    /// - Throws: ``IPPError/neverBegan(_:)`` if it had not started and the job was canceled.
    public func follow(job: Int?, named name: String, deadline: Span) async throws(IPPError) -> PrintOutcome {
        guard case .ipp(let address) = address else { return .mayHavePrinted("This printer knows no jobs.") }
        return try await connected(address) { client throws(IPPError) in
            let follower = PrinterFollower(client: client, clock: clock)
            var number = job
            do throws(IPPError) {
                if number == nil { number = try await follower.find(named: name) }
            } catch { return .mayHavePrinted("The printer did not say whether it has the job. \(error.what)") }
            guard let number else { return .mayHavePrinted("The printer knows no such job.") }
            let now = clock.now()
            return try await follower.follow(
                number, named: name, beginningBy: now.adding(deadline), until: now.adding(max(deadline, self.deadline))
            ) { _ in }
        }
    }

    /// Queries a job once; nothing is canceled.
    /// - Returns: `nil` if the job has not ended, or the printer does not know it.
    public func query(job: Int?, named name: String) async throws(IPPError) -> PrintOutcome? {
        guard case .ipp(let address) = address, let job else { return nil }
        return try await connected(address) { client throws(IPPError) in
            let attributes = try await client.jobAttributes(job)
            // A power-cycled printer restarts its job numbers at one.
            return PrinterFollower.isNamed(name, attributes) ? PrinterFollower.outcome(attributes) : nil
        }
    }

    /// Cancels a job that received nothing of its receipt, so that it does not block the printer. A missing job is not
    /// an error: it may never have been created.
    public func discard(job: Int?, named name: String) async {
        guard case .ipp(let address) = address else { return }
        let client = connection(address)
        await PrinterFollower(client: client.ipp, clock: clock).discard(job, named: name)
        await client.connection.shutdown()
    }

    /// Returns the state, including any necessary action; an ESC/POS printer that does not answer does not count as
    /// ready.
    public func state() async throws(IPPError) -> PrinterState { try await facts().state }

    /// Returns the state and, over IPP, the capabilities, with one query.
    public func facts() async throws(IPPError) -> PrinterFacts {
        switch address {
        case .ipp(let address):
            return try await connected(address) { client throws(IPPError) in
                let attributes = try await client.printerAttributes()
                return PrinterFacts(
                    state: PrinterState(attributes), capabilities: PrinterCapabilities(attributes))
            }
        case .socket, .device: return PrinterFacts(state: try await raw.state(), capabilities: nil)
        }
    }

    /// Opens the cash drawer connected to the printer. It requires its own permission, so printing a receipt never does
    /// it.
    /// - Throws: ``IPPError/noDrawer(pin:)`` if the printer's profile has no such pin; nothing is sent then.
    public func openDrawer(pin: Int = 2) async throws(IPPError) -> PrintOutcome {
        guard profile.drawerPins.contains(pin) else { throw .noDrawer(pin: pin) }
        return try await raw.send(ESCPOSCommand.initialize + ESCPOSCommand.drawer(pin: pin))
    }

    private func connected<Value: Sendable>(
        _ address: PrinterAddress.IPP, _ body: (IPPClient) async throws(IPPError) -> Value
    ) async throws(IPPError) -> Value {
        let (connection, client) = connection(address)
        do {
            let value = try await body(client)
            await connection.shutdown()
            return value
        } catch {
            await connection.shutdown()
            throw error
        }
    }

    private func connection(_ address: PrinterAddress.IPP) -> (connection: PrinterConnection, ipp: IPPClient) {
        let connection = PrinterConnection(address, pin: access.pin, credentials: access.credentials)
        let user = access.credentials?.user ?? IPPClient.defaultUser
        return (connection, IPPClient(uri: address.uri, user: user, carrier: connection))
    }
}

/// A printer's reported facts, at the time of the query.
public struct PrinterFacts: Hashable, Sendable {
    /// The state, including any necessary action.
    public let state: PrinterState
    /// Formats, paper and resolution; `nil` over ESC/POS, which has no such query.
    public let capabilities: PrinterCapabilities?
}

/// A receipt that is not on paper, or may be.
public struct PrintFailure: ExplainedError, Hashable {
    /// Failed, or may be on paper; never a success.
    public let outcome: PrintOutcome

    /// A machine-readable code, stable across releases.
    public var code: String {
        switch outcome {
        case .mayHavePrinted: "receipt_may_have_printed"
        case .failed, .printed, .handedOver: "receipt_not_printed"
        }
    }
    /// The fate of the receipt, and the printer's report.
    public var what: String { outcome.sentence }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step.
    public var next: String { "The payment stands as it is; the receipt can be printed again." }

    /// Wraps an outcome that is not certainly on paper.
    public init(outcome: PrintOutcome) { self.outcome = outcome }
}
