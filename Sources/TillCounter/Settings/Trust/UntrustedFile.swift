import Foundation
public import TillCore

/// The reason that a file deciding the destination of money and keys was not read. None of it was used.
public struct UntrustedFile: ExplainedError, Hashable {
    /// The reason that the file is not used.
    public enum Reason: Error, Hashable, Sendable {
        /// There is no such file.
        case missing
        case unreadable
        /// It is a folder, a pipe or a device.
        case noRegularFile
        /// It exceeds this number of bytes.
        case tooLong(Int)
        /// The file, a link to it or a folder above it belongs to another user.
        case foreign(owner: UInt32, String)
        /// Other users can write the file.
        case writable(String)
        /// Other users can replace the file.
        case writableFolder(String)
        /// It has a second name, in a folder to which other users can add names.
        case linked(String)
        /// It holds a secret that other users can read.
        case readable(String)
    }

    /// The path as given.
    public let path: String
    /// The kind of file, for display.
    public let file: String
    public let reason: Reason

    package init(_ path: String, _ file: String, _ reason: Reason) {
        self.path = path
        self.file = file
        self.reason = reason
    }

    /// `true` if other users can read or modify the file, or may have done so; `false` if it cannot be read or is too
    /// long.
    public var isDistrusted: Bool {
        switch reason {
        case .missing, .unreadable, .noRegularFile, .tooLong: false
        case .foreign, .writable, .writableFolder, .linked, .readable: true
        }
    }

    public var code: String { isDistrusted ? "untrusted_file" : "file_unreadable" }

    public var what: String { "The \(file) \(path) is not used: \(why)." }

    /// The reason, as part of a sentence.
    public var why: String {
        switch reason {
        case .missing: "there is no readable file of this name"
        case .unreadable: "it cannot be read"
        case .noRegularFile: "it is no regular file"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .foreign(let owner, let place):
            "\(place) belongs to \(FileOwner.name(owner)), who can change what is in it"
        case .writable(let place): "others than its owner can write \(place)"
        case .writableFolder(let place): "others than its owner can put files into the folder \(place)"
        case .linked(let place): "\(place) has a second name, and others may put names into its folder"
        case .readable(let place): "every user of this machine can read the secret in \(place)"
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        let user = FileOwner.name(geteuid())
        return switch reason {
        case .missing, .unreadable, .noRegularFile: "Check its name and its rights."
        case .tooLong: "Give a shorter one."
        case .foreign(_, let place):
            "If you did not put it there, start from another folder and tell whoever minds this machine. If it is "
                + "yours: chown \(user) \(place)"
        case .writable(let place), .writableFolder(let place): "Check what is in it first, then: chmod go-w \(place)"
        case .linked(let place): "Copy it to a folder that only you can write, instead of \(place)."
        case .readable(let place): "chmod o-r \(place), and take a new secret if others have read it."
        }
    }
}
