import Foundation
import TillCore

/// Reads an order from a file or, for `-`, from standard input, with a limit.
enum OrderFile {
    /// The largest order taken.
    static let maximumBytes = Order.maximumDocumentBytes

    static func read(_ path: String) throws -> [UInt8] {
        let handle: FileHandle
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw CommandError(code: "no_such_file", what: "\(path) is a folder.", next: "Name the order's file.")
        }
        if path == "-" {
            handle = .standardInput
        } else if let opened = FileHandle(forReadingAtPath: path) {
            handle = opened
        } else {
            throw CommandError(
                code: "no_such_file", what: "There is no readable file \(path).", next: "Check the path.")
        }
        let data = (try? handle.read(upToCount: maximumBytes + 1)) ?? Data()
        guard data.count <= maximumBytes else {
            throw CommandError(
                code: "order_too_large", what: "\(path) is longer than \(maximumBytes) bytes.", next: "Give one order.")
        }
        return Array(data)
    }
}
