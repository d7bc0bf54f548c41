import Synchronization
public import TillCore

/// Carries a message to a printer and returns its answer.
public protocol IPPCarrier: Sendable {
    /// Sends once, never twice, and reads the whole answer.
    func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8]
}

/// The operations of RFC 8011 that printing a receipt needs. One client for one printer; calls may run concurrently.
public final class IPPClient: Sendable {
    /// The time limit of one exchange.
    public static let deadline = Span.seconds(20)
    /// The user name of jobs if none is given.
    public static let defaultUser = "till"
    /// The maximum number of jobs in one list.
    static let longestList = 100

    /// Operations by their numbers.
    public enum Operation: UInt16, Sendable {
        case printJob = 0x0002
        case validateJob = 0x0004
        case createJob = 0x0005
        case sendDocument = 0x0006
        case cancelJob = 0x0008
        case getJobAttributes = 0x0009
        case getJobs = 0x000A
        case getPrinterAttributes = 0x000B
    }

    private let uri: String
    private let user: String
    private let carrier: any IPPCarrier
    private let lastID = Mutex<UInt32>(0)

    /// Creates a client of one printer; the first request opens the connection.
    /// - Parameters:
    ///   - uri: the printer's address in the form `ipp://host:631/ipp/print`.
    ///   - user: the owner of the jobs, as shown in the printer's own list.
    public init(uri: String, user: String = IPPClient.defaultUser, carrier: any IPPCarrier) {
        self.uri = uri
        self.user = user
        self.carrier = carrier
    }

    /// Returns the printer's attributes, including its state.
    public func printerAttributes(_ names: [String] = ["all", "media-col-database"]) async throws(IPPError)
        -> [IPPAttribute]
    {
        let answer = try await ask(
            .getPrinterAttributes, [IPPAttribute("requested-attributes", names.map { .keyword($0) })])
        return answer.attributes(IPPTag.printerGroup)
    }

    /// Throws if the printer would not accept the job; prints nothing.
    public func validate(_ job: IPPJob) async throws(IPPError) {
        _ = try await ask(.validateJob, job.operationAttributes, job: job.attributes)
    }

    /// Sends a job with its document in one request.
    /// - Returns: the job's number.
    public func print(_ job: IPPJob, document: [UInt8]) async throws(IPPError) -> Int {
        let answer = try await ask(.printJob, job.operationAttributes, job: job.attributes, data: document)
        return try number(answer)
    }

    /// Creates a job without a document, so that its number is known before anything can print.
    public func create(_ job: IPPJob) async throws(IPPError) -> Int {
        try number(try await ask(.createJob, [job.nameAttribute], job: job.attributes))
    }

    /// Sends the only document of a job.
    public func send(_ document: [UInt8], format: String, to job: Int) async throws(IPPError) {
        _ = try await ask(
            .sendDocument,
            [
                IPPAttribute("job-id", .integer(job)),
                IPPAttribute("document-format", .text(format, tag: IPPTag.mimeType)),
                IPPAttribute("last-document", .boolean(true)),
            ], data: document)
    }

    /// Returns the attributes of a job, including its state.
    public func jobAttributes(_ job: Int) async throws(IPPError) -> [IPPAttribute] {
        try await ask(.getJobAttributes, [IPPAttribute("job-id", .integer(job))]).attributes(IPPTag.jobGroup)
    }

    /// Returns the printer's jobs of all users, newest first if the printer orders them so.
    /// - Parameter isDone: `true` for jobs that have ended, `false` for those that have not.
    public func jobs(done isDone: Bool) async throws(IPPError) -> [[IPPAttribute]] {
        let answer = try await ask(
            .getJobs,
            [
                IPPAttribute("limit", .integer(IPPClient.longestList)),
                IPPAttribute("which-jobs", .keyword(isDone ? "completed" : "not-completed")),
                IPPAttribute(
                    "requested-attributes", .keyword("job-id"), .keyword("job-name"), .keyword("job-state")),
            ])
        return answer.groups.filter { $0.tag == IPPTag.jobGroup }.map(\.attributes)
    }

    /// Cancels a job by its number at the printer.
    public func cancel(_ job: Int) async throws(IPPError) {
        _ = try await ask(.cancelJob, [IPPAttribute("job-id", .integer(job))])
    }

    private func number(_ answer: IPPMessage) throws(IPPError) -> Int {
        guard let id = answer.attributes(IPPTag.jobGroup).int("job-id"), id > 0 else {
            throw .malformed("the job has no number")
        }
        return id
    }

    private func ask(
        _ operation: Operation, _ attributes: [IPPAttribute], job: [IPPAttribute] = [], data: [UInt8] = []
    ) async throws(IPPError) -> IPPMessage {
        let id = lastID.withLock { last in
            last = last % 0x7FFF_FFFF + 1
            return last
        }
        // These three attributes must come first, in this order; a job's number must follow the address.
        var first = [
            IPPAttribute("attributes-charset", .text("utf-8", tag: IPPTag.charset)),
            IPPAttribute("attributes-natural-language", .text("en", tag: IPPTag.language)),
            IPPAttribute("printer-uri", .text(uri, tag: IPPTag.uri)),
        ]
        first += attributes.filter { $0.name == "job-id" }
        first.append(IPPAttribute("requesting-user-name", .text(user, tag: IPPTag.name)))
        first += attributes.filter { $0.name != "job-id" }
        var groups = [IPPMessage.Group(tag: IPPTag.operationGroup, first)]
        if !job.isEmpty { groups.append(.init(tag: IPPTag.jobGroup, job)) }
        let request = IPPMessage(code: operation.rawValue, requestID: id, groups: groups, data: data)
        let answer = try IPPMessage(parsing: try await carrier.exchange(request.bytes, deadline: IPPClient.deadline))
        guard answer.requestID == id else { throw .malformed("it answers another request") }
        guard answer.code < 0x0100 else {
            let message = answer.attributes(IPPTag.operationGroup).strings("status-message").first ?? ""
            throw .refused(status: Int(answer.code), message: ProviderText.line(message, atMost: 200))
        }
        return answer
    }
}

/// The parameters of a print job for one receipt.
public struct IPPJob: Hashable, Sendable {
    /// The job's name in the printer's list.
    public var name: String
    /// Its media type: `application/pdf`.
    public var format: String
    /// Width and height of the paper in hundredths of a millimeter; `nil` leaves the choice to the printer.
    public var media: (width: Int, height: Int)? {
        get { size.map { ($0.width, $0.height) } }
        set { size = newValue.map { Size(width: $0.width, height: $0.height) } }
    }
    /// Copies, 1 to 10.
    public var copies = 1
    /// `true` to cut the roll after the receipt, if the printer can.
    public var trims = false

    private struct Size: Hashable, Sendable {
        var width: Int
        var height: Int
    }
    private var size: Size?

    /// Creates a job of one copy on the printer's own paper, not cut.
    public init(name: String, format: String) {
        self.name = name
        self.format = format
    }

    var nameAttribute: IPPAttribute { IPPAttribute("job-name", .text(name, tag: IPPTag.name)) }

    var operationAttributes: [IPPAttribute] {
        [nameAttribute, IPPAttribute("document-format", .text(format, tag: IPPTag.mimeType))]
    }

    var attributes: [IPPAttribute] {
        var all = [IPPAttribute]()
        if copies > 1 { all.append(IPPAttribute("copies", .integer(copies))) }
        if trims { all.append(IPPAttribute("finishings", .enumeration(11))) }
        if let size {
            let dimensions = IPPValue.collection([
                IPPAttribute("x-dimension", .integer(size.width)), IPPAttribute("y-dimension", .integer(size.height)),
            ])
            all.append(IPPAttribute("media-col", .collection([IPPAttribute("media-size", dimensions)])))
        }
        return all
    }
}
