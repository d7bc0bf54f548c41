/// A parsing error of data objects. Offsets count bytes from the start of the input.
public enum TLVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end within a tag.
    case truncatedTag(at: Int)
    /// A tag of more than ``TagValueReader/longestTag`` bytes.
    case tagTooLong(at: Int)
    /// The bytes end within a length.
    case truncatedLength(at: Int)
    /// The length octet `80`: EMV does not permit the indefinite form.
    case indefiniteLength(at: Int)
    /// A length of more than four octets, or one that does not fit.
    case lengthTooLong(at: Int)
    /// The value is longer than the remaining bytes.
    case truncatedValue(tag: Tag, needs: Int, has: Int)
    /// Templates nested deeper than ``DataObject/deepestNesting``.
    case tooDeep(at: Int)
    /// More data objects than ``DataObject/mostObjects``.
    case tooMany
    /// The text is not hexadecimal.
    case notHexadecimal(at: Int)

    /// The error in one sentence, with the offset but without the bytes.
    public var description: String {
        switch self {
        case .truncatedTag(let offset): "The bytes end within a tag at byte \(offset)."
        case .tagTooLong(let offset):
            "The tag at byte \(offset) is longer than \(TagValueReader.longestTag) bytes."
        case .truncatedLength(let offset): "The bytes end within a length at byte \(offset)."
        case .indefiniteLength(let offset):
            "The length at byte \(offset) is 80, the indefinite form, which EMV does not allow."
        case .lengthTooLong(let offset): "The length at byte \(offset) is larger than any card could send."
        case .truncatedValue(let tag, let needs, let has):
            "The value of \(tag) needs \(needs) bytes and \(has) are left."
        case .tooDeep(let offset):
            "Templates are nested deeper than \(DataObject.deepestNesting) at byte \(offset)."
        case .tooMany: "There are more than \(DataObject.mostObjects) data objects."
        case .notHexadecimal(let offset): "Character \(offset) is not a hexadecimal digit."
        }
    }
}
