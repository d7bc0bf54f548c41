import Foundation
import Testing

@testable import TillJournal

@Suite("New files that are closed to others")
struct ClosedFileTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/till-closed-\(UUID().uuidString)"

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("are their owner's alone, copies of open ones too")
    func closed() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let big = [UInt8](repeating: 7, count: 3 << 20)
        #expect(ClosedFile.make(folder + "/a", big))
        #expect(FileManager.default.contents(atPath: folder + "/a") == Data(big))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/a")
        #expect(ClosedFile.copy(folder + "/a", to: folder + "/b"))
        #expect(FileManager.default.contents(atPath: folder + "/b") == Data(big))
        #expect(ClosedFile.make(folder + "/c"))
        for name in ["/b", "/c"] { #expect(try mode(folder + name) == 0o600) }
    }

    @Test("are new: nothing that is there already is written or followed")
    func new() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = FileManager.default
        #expect(ClosedFile.make(folder + "/a", [1]))
        try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/elsewhere")
        for name in ["/a", "/link", "/no/folder"] {
            #expect(!ClosedFile.make(folder + name, [2]), "\(name)")
            #expect(!ClosedFile.copy(folder + "/a", to: folder + name), "\(name)")
        }
        #expect(!ClosedFile.copy(folder + "/none", to: folder + "/b"))
        #expect(files.contents(atPath: folder + "/a") == Data([1]) && !files.fileExists(atPath: folder + "/elsewhere"))
        #expect(!files.fileExists(atPath: folder + "/b"))
    }
}
