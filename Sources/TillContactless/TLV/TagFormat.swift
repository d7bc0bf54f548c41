/// How the value of a tag is written. Source: EMV Book 3, section 4.3.
public enum TagFormat: String, Hashable, Sendable {
    /// Bits or bytes.
    case binary = "b"
    /// Two digits a byte, filled with zeros on the left.
    case numeric = "n"
    /// Two digits a byte, filled with F on the right.
    case compressedNumeric = "cn"
    /// Text.
    case alphanumeric = "ans"
    /// Tags and lengths.
    case list = "dol"
    /// Further data objects.
    case template = "tlv"
}
