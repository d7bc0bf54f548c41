import Foundation
import Testing

/// The table of rooms in `docs/ARCHITECTURE.md`, held against the imports of every source file.
@Suite("Rooms")
struct RoomsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// What a phone cannot have, or should not: libraries for servers and databases.
    private static let serverLibraries: Set<String> = [
        "AsyncHTTPClient", "GRDB", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "NIOCore", "NIOHTTP1",
        "NIOPosix", "NIOSSL", "NIOTLS", "ServiceLifecycle", "UnixSignals",
    ]

    private struct Room {
        var floor: Int
        /// Rooms of the same floor that it may import.
        var beside: Set<String> = []
    }

    /// The rows `| floor | room | what lives there; beside another |`. A row of a folder belongs to its room.
    private static func table() throws -> [String: Room] {
        let page = try String(contentsOf: root.appending(path: "docs/ARCHITECTURE.md"), encoding: .utf8)
        var rooms: [String: Room] = [:]
        for line in page.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, let floor = Int(cells[1]) else { continue }
            let name = cells[2].hasPrefix("`till`") ? "till" : cells[2].filter { $0 != "`" }
            guard !name.contains("/") else { continue }
            var room = Room(floor: floor)
            for part in cells[3].components(separatedBy: "beside `").dropFirst() {
                room.beside.insert(String(part.prefix { $0 != "`" }))
            }
            rooms[name] = room
        }
        return rooms
    }

    /// The rooms of the server's features lie in a folder of their own.
    private static let feature = "TillFeature"

    private static func folders(_ place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: place).path)
            .filter { !$0.hasPrefix(".") }
    }

    private static func imports(of room: String) throws -> [(file: String, module: String)] {
        let place = room.hasPrefix(feature) ? "TillFeatures/" + room.dropFirst(feature.count) : room
        let folder = root.appending(path: "Sources/\(place)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        var found: [(String, String)] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.components(separatedBy: "\n") where line.utf8.count < 80 && line.contains("import ") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                    words[..<index].allSatisfy({ ["public", "package", "internal"].contains($0) || $0.hasPrefix("@") })
                else { continue }
                found.append((file.lastPathComponent, String(words[words.count - 1])))
            }
        }
        return found
    }

    @Test(
        "every room is in the table, and imports rooms of lower floors only, or the one that the table puts beside it")
    func floors() throws {
        let rooms = try Self.table()
        // The proof is no room.
        let others = ["TillSimulation", "till-simulate", "TillFeatures"]
        let folders =
            try Self.folders("Sources").filter { !others.contains($0) }
            + Self.folders("Sources/TillFeatures").map { Self.feature + $0 }
        for folder in folders {
            guard let room = rooms[folder] else {
                Issue.record("\(folder) is not in the table of docs/ARCHITECTURE.md")
                continue
            }
            for (file, module) in try Self.imports(of: folder) where module.hasPrefix("Till") && module != folder {
                guard let other = rooms[module] else {
                    Issue.record("\(folder)/\(file) imports \(module), which is not in the table")
                    continue
                }
                #expect(
                    other.floor < room.floor || room.beside.contains(module),
                    "\(folder)/\(file), floor \(room.floor), imports \(module), floor \(other.floor)")
            }
        }
    }

    @Test("no room of floors 0 and 1, which apps build, imports a library for servers")
    func apps() throws {
        for (name, room) in try Self.table() where room.floor < 2 {
            let imports = try Self.imports(of: name)
            // A room in C has nothing that this test reads.
            #expect(!imports.isEmpty || name.hasPrefix("C"))
            for (file, module) in imports {
                #expect(!Self.serverLibraries.contains(module), "\(name)/\(file) imports \(module)")
            }
        }
    }

    @Test("a stand-in does not read or write with the code of the client that it stands in for")
    func standIns() throws {
        let clients = [
            "TillStripe", "TillPayPal", "TillPayPalClient", "TillBraintree", "TillBraintreeClient", "TillAdyen",
        ]
        let rooms = try Self.table().keys.filter { $0.hasPrefix("TillStandIn") }
        #expect(rooms.count > 4)
        for room in rooms {
            for (file, module) in try Self.imports(of: room) {
                #expect(!clients.contains(module), "\(room)/\(file) imports \(module)")
            }
        }
    }
}
