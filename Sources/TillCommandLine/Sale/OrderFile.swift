import TillCore
import TillOrders

/// Reads an order from a file, or from standard input for `-`, with a size limit.
enum OrderFile {
    /// The maximum order size.
    static let maximumBytes = Order.maximumDocumentBytes

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(LimitedFile.Failure) { return try LimitedFile.read(path, limit: maximumBytes) } catch {
            switch error {
            case .folder:
                throw CommandError(code: "no_such_file", what: "\(path) is a folder.", next: "Name the order's file.")
            case .unreadable:
                throw CommandError(
                    code: "no_such_file", what: "There is no readable file \(path).", next: "Check the path.")
            case .tooLong:
                throw CommandError(
                    code: "order_too_large", what: "\(path) is longer than \(maximumBytes) bytes.",
                    next: "Give one order.")
            }
        }
    }
}
