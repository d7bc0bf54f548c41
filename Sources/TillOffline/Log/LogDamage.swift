/// Named kinds of damage to an offline log. None is repaired automatically: each requires manual review.
public enum LogDamage: Error, Hashable, Sendable {
    /// The file does not begin with a log's header.
    case notALog
    /// The header's signature or content is invalid.
    case headerForged
    /// The log was created by another device.
    case otherDevice(found: String)
    /// The log is sealed to another provider's keys.
    case otherProvider(found: String)
    /// The bytes of a durable entry differ from those written: one or more were changed.
    case changed(sequence: UInt64, offset: Int)
    /// Entries are not in the order in which they were written.
    case reordered(expected: UInt64, found: UInt64)
    /// An entry was removed from the middle.
    case missing(sequence: UInt64)
    /// An entry is from another log, or from another history of this one.
    case spliced(sequence: UInt64)
    /// A payment's data were deleted without a deletion token.
    case removedWithoutToken(sequence: UInt64)
    /// The device's signature over the chain is invalid.
    case checkpointForged(sequence: UInt64)
    /// The file ends inside an entry that was durable.
    case truncated(expected: UInt64, found: UInt64)
    /// The file is intact but older than before: its end was removed.
    case rolledBack(expected: UInt64, found: UInt64)
    /// An entry's hash differs from the one known for it.
    case rewritten(sequence: UInt64)
}

extension LogDamage: CustomStringConvertible {
    /// A stable identifier for programs.
    public var name: String {
        switch self {
        case .notALog: "not_a_log"
        case .headerForged: "header_forged"
        case .otherDevice: "other_device"
        case .otherProvider: "other_provider"
        case .changed: "changed"
        case .reordered: "reordered"
        case .missing: "missing"
        case .spliced: "spliced"
        case .removedWithoutToken: "removed_without_token"
        case .checkpointForged: "checkpoint_forged"
        case .truncated: "truncated"
        case .rolledBack: "rolled_back"
        case .rewritten: "rewritten"
        }
    }

    public var description: String {
        switch self {
        case .notALog: "The file is not an offline log."
        case .headerForged: "The log's header is not what its device signed."
        case .otherDevice(let found): "The log belongs to another device, \(found)."
        case .otherProvider(let found): "The log is sealed for another provider, \(found): forward it there first."
        case .changed(let sequence, let offset): "Entry \(sequence) at byte \(offset) was changed."
        case .reordered(let expected, let found): "Entry \(found) stands where entry \(expected) was."
        case .missing(let sequence): "Entry \(sequence) was removed."
        case .spliced(let sequence): "Entry \(sequence) does not follow from the one before: it is from another log."
        case .removedWithoutToken(let sequence):
            "The card's data of entry \(sequence) are missing without a deletion token."
        case .checkpointForged(let sequence): "The device's signature in entry \(sequence) is not right."
        case .truncated(let expected, let found):
            "The file is cut off after entry \(found); entry \(expected) was there."
        case .rolledBack(let expected, let found): "The log ends with entry \(found); it has had entry \(expected)."
        case .rewritten(let sequence): "Entry \(sequence) is not the one that was written: the log was rewritten."
        }
    }
}
