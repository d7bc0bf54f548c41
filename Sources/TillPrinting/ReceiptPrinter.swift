public import TillCanvas
public import TillCore
public import TillHardware
public import TillReceipts

/// One printer, whether it speaks IPP or ESC/POS. A value: each call opens a connection of its own and closes it, so
/// calls may run at once; a printer that takes one connection refuses the second.
public struct ReceiptPrinter: PrinterService {
    /// What a printer must show, and what it is shown.
    public struct Access: Sendable {
        /// The certificate that an `ipps` printer must show; `nil`: one signed by an authority that the machine trusts.
        public var pin: PrinterPin?
        /// Sent only after the printer asked for them.
        public var credentials: PrinterCredentials?

        /// Without arguments: any trusted certificate, and no user.
        public init(pin: PrinterPin? = nil, credentials: PrinterCredentials? = nil) {
            self.pin = pin
            self.credentials = credentials
        }
    }

    /// How long a receipt is followed to its end on paper by default.
    public static let defaultDeadline = Span.seconds(60)

    /// Also decides what is spoken with it: IPP, or ESC/POS over TCP or a device file.
    public let address: PrinterAddress
    /// Columns, code pages and commands of an ESC/POS printer; an IPP printer is asked for its own.
    public let profile: ESCPOSProfile
    private let access: Access
    private let deadline: Span
    private let clock: any TillClock

    /// Opens no connection yet.
    /// - Parameters:
    ///   - profile: for printers that speak ESC/POS.
    ///   - deadline: how long a receipt is followed before its end is unknown.
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

    /// Prints; an outcome that is not on paper is thrown.
    /// - Throws: `ReceiptError` if the content does not add up: then the printer is not even asked. ``IPPError`` if
    ///   nothing was printed, ``PrintFailure`` if that is not certain.
    public func printReceipt(content: ReceiptContent) async throws {
        try content.check()
        let outcome = try await print(ReceiptDocument(content), name: "Receipt \(content.orderNumber.plain)")
        switch outcome {
        case .printed, .handedOver: return
        case .failed, .mayHavePrinted: throw PrintFailure(outcome: outcome)
        }
    }

    /// Prints and says what became of it.
    /// - Parameter paper: what it is to be printed on; `nil`: what the printer has.
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

    /// What an ESC/POS printer can do on a paper; narrow paper in a wide printer has fewer columns.
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

    /// Follows a job whose number is known, or whose name, after a crash in the middle of sending it.
    /// - Parameter deadline: how long the printer may take to begin; one that has begun gets the whole deadline.
    /// - Throws: ``IPPError/neverBegan(_:)`` if it had not begun and canceled the job for us.
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
            // A printer that was switched off and on counts from one again.
            return PrinterFollower.isNamed(name, attributes) ? PrinterFollower.outcome(attributes) : nil
        }
    }

    /// Cancels a job that got nothing of its receipt, so that it does not hold up the printer. Not an error if there is
    /// none: it may never have been made.
    public func discard(job: Int?, named name: String) async {
        guard case .ipp(let address) = address else { return }
        let client = connection(address)
        await PrinterFollower(client: client.ipp, clock: clock).discard(job, named: name)
        await client.connection.shutdown()
    }

    /// Whether it is ready, and what it needs; an ESC/POS printer that does not answer is not taken for ready.
    public func state() async throws(IPPError) -> PrinterState { try await facts().state }

    /// Its state and, over IPP, its capabilities, with one query.
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

    /// Opens the cash drawer on the printer's plug: a permission of its own, so no receipt does it.
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

/// A printer's own account of itself, at the time of the query.
public struct PrinterFacts: Hashable, Sendable {
    /// Whether it is ready, and what it needs.
    public let state: PrinterState
    /// Formats, paper and resolution; `nil` over ESC/POS, which has no such query.
    public let capabilities: PrinterCapabilities?
}

/// A receipt that is not on paper, or may be.
public struct PrintFailure: ExplainedError, Hashable {
    /// Failed, or may be on paper; never a success.
    public let outcome: PrintOutcome

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch outcome {
        case .mayHavePrinted: "receipt_may_have_printed"
        case .failed, .printed, .handedOver: "receipt_not_printed"
        }
    }
    /// Whether paper came out, and what the printer says.
    public var what: String { outcome.sentence }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "The payment stands as it is; the receipt can be printed again." }

    /// Wraps an outcome that is not on paper for certain.
    public init(outcome: PrintOutcome) { self.outcome = outcome }
}
