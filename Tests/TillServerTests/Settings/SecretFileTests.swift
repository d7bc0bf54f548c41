import Foundation
import Testing
import TillCore
@testable import TillCounter
import TillPrinting

@testable import TillServer

@Suite("Files with secrets beside the journal and of printers")
struct SecretFileTests {
    /// A folder of its own, with a file that others than its owner can write. Everybody passes the folders above it, as
    /// need not be so where the tests' own temporary folder is.
    private func withFile(_ name: String, _ body: (_ folder: String, _ file: String) throws -> Void) throws {
        let folder = "/tmp/till-secrets-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/" + name
        #expect(FileManager.default.createFile(atPath: file, contents: Data(repeating: 7, count: 32)))
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: file)
        try body(folder, file)
    }

    private func isOfOthers(_ error: (any Error)?) -> Bool {
        guard let error = error as? any ExplainedError else { return false }
        return error.code == "untrusted_file" && error.what.contains("others than its owner can write")
            && error.next.contains("chmod go-w")
    }

    @Test("A pepper that others can write is not used, and one that is made is its owner's only")
    func pepper() throws {
        try withFile("a-pepper") { folder, file in
            let error = #expect(throws: StaffError.self) { try Pepper(besideJournal: folder + "/a").mark }
            #expect(isOfOthers(error))
            _ = try Pepper(besideJournal: folder + "/b").mark
            let rights = try FileManager.default.attributesOfItem(atPath: folder + "/b-pepper")[.posixPermissions]
            #expect(rights as? Int == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            _ = try Pepper(besideJournal: folder + "/a").mark
        }
    }

    @Test("Nor is the key of receipt links")
    func links() throws {
        try withFile("a-links") { folder, _ in
            let error = #expect(throws: ReceiptLinkError.self) { try ReceiptLink(besideJournal: folder + "/a") }
            #expect(isOfOthers(error))
        }
    }

    @Test("Nor a printer's password")
    func printer() throws {
        try withFile("password") { _, file in
            try Data("drawer 7\r\nmore\n".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: file)
            let error = #expect(throws: PrinterRegistryError.self) {
                try PrinterRegistry.credentials("till", file: file)
            }
            #expect(isOfOthers(error))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(try PrinterRegistry.credentials("till", file: file).password.reveal() == "drawer 7")
        }
    }

    #if os(Linux)
        @Test("Nor one that every user of the machine can read")
        func readable() throws {
            try withFile("password") { folder, file in
                for (path, rights) in [(folder, 0o755), (file, 0o644)] {
                    try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
                }
                let error = #expect(throws: PrinterRegistryError.self) {
                    try PrinterRegistry.credentials("till", file: file)
                }
                #expect(error?.what.contains("every user of this machine can read the secret") == true)
            }
        }
    #endif
}
