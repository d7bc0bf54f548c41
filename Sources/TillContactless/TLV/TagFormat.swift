/// The format of a tag's value. Source: EMV Book 3, section 4.3.
public enum TagFormat: String, Hashable, Sendable {
    /// Bits or bytes without a text form.
    case binary = "b"
    /// Two digits per byte, padded with zeros on the left.
    case numeric = "n"
    /// Two digits per byte, padded with F on the right.
    case compressedNumeric = "cn"
    /// Letters, digits and signs, one per byte.
    case alphanumeric = "ans"
    /// A list of tags and lengths: the data requested by the card.
    case list = "dol"
    /// A template: further data objects.
    case template = "tlv"
}
