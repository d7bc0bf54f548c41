/// How the value of a tag is written. Source: EMV Book 3, section 4.3.
public enum TagFormat: String, Hashable, Sendable {
    /// Bits or bytes without a text of their own.
    case binary = "b"
    /// Two digits a byte, filled with zeros on the left.
    case numeric = "n"
    /// Two digits a byte, filled with F on the right.
    case compressedNumeric = "cn"
    /// Letters, digits and signs, one a byte.
    case alphanumeric = "ans"
    /// A list of tags and lengths: what the card asks for.
    case list = "dol"
    /// A template: further data objects.
    case template = "tlv"
}
