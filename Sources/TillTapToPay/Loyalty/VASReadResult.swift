public import Foundation

/// A wallet's answer to a ``VASRequest``.
public struct VASReadResult: Identifiable, Hashable, Sendable {
    /// The reader's identifier of the read.
    public var id: String
    /// One entry for each requested pass.
    public var entries: [ReadEntry]

    public init(id: String, entries: [ReadEntry]) { (self.id, self.entries) = (id, entries) }

    /// The result for one pass.
    public struct ReadEntry: Identifiable, Hashable, Sendable {
        /// The pass type identifier: it identifies the shop's pass, **not** the member. The member is inside
        /// ``customerVASData``.
        public var id: String
        /// Encrypted for the shop's key; identifies a customer, so it prints as a mask.
        public var customerVASData: Data?
        public var status: Status

        public init(id: String, customerVASData: Data?, status: Status) {
            (self.id, self.customerVASData, self.status) = (id, customerVASData, status)
        }
    }

    /// The status of reading a pass, with Apple's numbers. Open: an unknown number is kept.
    public enum Status: RawRepresentable, Hashable, Sendable {
        case success
        case vasDataNotFound
        case vasDataNotActivated
        case wrongP1P2
        case wrongCommandLength
        case userInterventionRequired
        case incorrectData
        case unsupportedApplicationVersion
        /// An unknown number.
        case unrecognized(Int)

        /// The known statuses, each at the index of its number.
        public static let known: [Status] = [
            .success, .vasDataNotFound, .vasDataNotActivated, .wrongP1P2, .wrongCommandLength,
            .userInterventionRequired, .incorrectData, .unsupportedApplicationVersion,
        ]

        /// Returns the status of a number; never fails.
        public init(rawValue: Int) {
            self = Status.known.indices.contains(rawValue) ? Status.known[rawValue] : .unrecognized(rawValue)
        }

        public var rawValue: Int {
            switch self {
            case .success: 0
            case .vasDataNotFound: 1
            case .vasDataNotActivated: 2
            case .wrongP1P2: 3
            case .wrongCommandLength: 4
            case .userInterventionRequired: 5
            case .incorrectData: 6
            case .unsupportedApplicationVersion: 7
            case .unrecognized(let number): number
            }
        }

        /// A sentence for the cashier.
        public var sentence: String {
            switch self {
            case .success: "The pass was read."
            case .vasDataNotFound: "The customer has no such pass."
            case .vasDataNotActivated: "The phone is locked: the pass must be opened first."
            case .userInterventionRequired: "The customer must choose the pass on the phone."
            case .unsupportedApplicationVersion: "The phone speaks another version."
            case .wrongP1P2, .wrongCommandLength, .incorrectData: "The phone did not take the question."
            case .unrecognized(let number): "The phone answered \(number), which is not known here."
            }
        }
    }
}

extension VASReadResult.ReadEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The pass and the status; the data as a mask.
    public var description: String { "\(id): \(status), data \(customerVASData == nil ? "none" : "••••")" }
    public var debugDescription: String { description }
    /// A mirror without the data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status.rawValue]) }
}
