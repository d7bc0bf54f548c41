package import TillCore

extension Order {
    /// `true` if the order is written, byte for byte, as the values of its stored form are.
    package var isWrittenAsItsValues: Bool {
        var writer = JSONWriter()
        writer.order(self)
        return writer.bytes == jsonValue.bytes()
    }
}
