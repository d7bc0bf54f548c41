/// A printer's state. Anything unreported is `unknown`, never assumed good.
public struct PrinterState: Hashable, Sendable {
    /// `printer-state` of RFC 8011; for ESC/POS derived from its status bytes.
    public enum Activity: String, Hashable, Sendable {
        /// Ready for a job.
        case idle
        /// Printing, or waiting for paper in the middle of a job.
        case processing
        /// Stopped until manual intervention.
        case stopped
        /// Not reported.
        case unknown
    }

    /// A reason for the state: a keyword of the printer, kept unchanged.
    public struct Reason: RawRepresentable, Hashable, Sendable, Comparable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The keyword without its severity.
        public var keyword: String {
            for suffix in ["-report", "-warning", "-error"] where rawValue.hasSuffix(suffix) {
                return String(rawValue.dropLast(suffix.count))
            }
            return rawValue
        }

        /// One sentence for the printer's user; `nil` for unknown keywords.
        public var sentence: String? {
            switch keyword {
            case "media-empty", "media-needed": "It is out of paper."
            case "media-low": "Its paper is running low."
            case "media-jam": "Its paper is jammed."
            case "cover-open", "door-open", "interlock-open": "Its cover is open."
            case "paused", "moving-to-paused": "It is paused."
            case "offline", "shutdown", "timed-out": "It is off line."
            case "cutter-error", "spool-area-full", "other": "It reports an error."
            case "cutter-jam": "Its knife is jammed."
            case "drawer-open": "The cash drawer is open."
            default: nil
            }
        }

        /// Alphabetical, for a stable order on screens.
        public static func < (left: Reason, right: Reason) -> Bool { left.rawValue < right.rawValue }
    }

    /// Idle, printing or stopped.
    public var activity: Activity
    /// The reported conditions of paper, cover and ink, sorted; empty if there are none.
    public var reasons: [Reason]
    /// The printer's own message for display; may be empty.
    public var message: String

    /// - Parameter reasons: keywords of `printer-state-reasons`; `none` is left out.
    public init(_ activity: Activity, reasons: [String] = [], message: String = "") {
        self.activity = activity
        self.reasons = reasons.filter { $0 != "none" && !$0.isEmpty }.map { Reason(rawValue: $0) }.sorted()
        self.message = message
    }

    /// Takes a printer's attributes.
    public init(_ attributes: [IPPAttribute]) {
        let activity: Activity =
            switch attributes.int("printer-state") {
            case 3: .idle
            case 4: .processing
            case 5: .stopped
            default: .unknown
            }
        self.init(
            activity, reasons: attributes.strings("printer-state-reasons"),
            message: attributes.strings("printer-state-message").first ?? "")
    }

    /// `true` if something prevents printing now.
    public var needsHelp: Bool {
        activity == .stopped
            || reasons.contains {
                [
                    "media-empty", "media-needed", "media-jam", "cover-open", "door-open", "cutter-error", "cutter-jam",
                    "offline", "paused",
                ]
                .contains($0.keyword)
            }
    }

    /// One sentence for a shop's staff: readiness, and any necessary action.
    public var sentence: String {
        let first =
            switch activity {
            case .idle: needsHelp ? "The printer cannot print now." : "The printer is ready."
            case .processing: "The printer is printing."
            case .stopped: "The printer has stopped."
            case .unknown: "The printer does not report its state."
            }
        let more = reasons.map { $0.sentence ?? "It says: \($0.rawValue)." }
        return ([first] + more.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }).joined(separator: " ")
    }
}
