import Foundation
import TillCore
import TillJournal

/// Opens the sign-in address in the browser, for a counter started on a terminal.
enum StartPage {
    /// The lifetime of the file that redirects the browser to the address.
    static let lifetime = Span.minutes(1)

    /// Opens an address if there is a desktop and standard output is a terminal; otherwise does nothing. A failure is
    /// no fault, because the address is also printed.
    static func open(_ address: String) {
        guard Output.isResultOnTerminal, let opener = opener() else { return }
        // Command-line arguments are visible to every user of the machine, so the browser gets a file readable only by
        // its owner.
        guard let file = file(leadingTo: address) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { Output.note("The browser could not be opened: open the address yourself.") }
        Task {
            await SystemClock().pause(for: lifetime)
            remove(file)
        }
    }

    private static func opener() -> String? {
        #if os(macOS)
            return "/usr/bin/open"
        #else
            let environment = ProcessInfo.processInfo.environment
            let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
            guard hasDesktop else { return nil }
            return (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/xdg-open" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        #endif
    }

    /// Creates a page, readable only by this user, that redirects immediately.
    private static func file(leadingTo address: String) -> URL? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-start-\(UUID().uuidString)")
        let file = folder.appendingPathComponent("start.html")
        let page = """
            <!DOCTYPE html><meta charset="utf-8"><title>Till</title>
            <meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=\(address)">
            """
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch { return nil }
        return ClosedFile.make(file.path, Array(page.utf8)) ? file : nil
    }

    private static func remove(_ file: URL) {
        do { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) } catch {
            Output.note("\(file.path) could not be removed. What it leads to is over within ten minutes.")
        }
    }
}
