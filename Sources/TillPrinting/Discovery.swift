import Dispatch
import Foundation

/// Printers that announce themselves on the network (DNS-SD), found through Avahi's own browser on Linux.
public enum PrinterDiscovery {
    /// A printer that was found.
    public struct Found: Hashable, Sendable {
        /// What it calls itself.
        public let name: String
        /// Its address.
        public let address: PrinterAddress
        /// What it says about itself: `pdl`, `ty`, `note`.
        public let facts: [String: String]
    }

    /// Most printers that are listed.
    public static let maximumFound = 200

    /// Looks for printers; `nil` if this machine has no way to.
    public static func find() async -> [Found]? {
        guard
            let browser = ["/usr/bin/avahi-browse", "/usr/local/bin/avahi-browse"]
                .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        return await withCheckedContinuation { done in
            DispatchQueue.global().async {
                var found: [Found] = []
                for service in ["_ipps._tcp", "_ipp._tcp", "_pdl-datastream._tcp"] {
                    guard let text = run(browser, ["-rpt", service]) else {
                        done.resume(returning: nil)
                        return
                    }
                    found += parse(text)
                }
                done.resume(returning: Array(found.prefix(maximumFound)))
            }
        }
    }

    private static func run(_ program: String, _ arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // `-t` ends by itself; should it not, it is ended.
        let guardTask = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 8, execute: guardTask)
        let data = output.fileHandleForReading.readDataToEndOfFile().prefix(1 << 20)
        process.waitUntilExit()
        guardTask.cancel()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }

    /// Reads the browser's lines: `=;eth0;IPv4;name;type;domain;host;address;port;"key=value" …`.
    static func parse(_ text: String) -> [Found] {
        var found: [Found] = []
        for line in text.split(separator: "\n") where line.hasPrefix("=;") {
            let parts = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 10, let port = Int(parts[8]) else { continue }
            var facts: [String: String] = [:]
            for item in parts[9].components(separatedBy: "\" \"") {
                let pair = item.trimmingCharacters(in: ["\""]).split(separator: "=", maxSplits: 1)
                if pair.count == 2, facts.count < 64 { facts[String(pair[0])] = String(pair[1]) }
            }
            let host = parts[2] == "IPv6" ? "[\(parts[7])]" : parts[7]
            let scheme = parts[4].hasPrefix("_ipps") ? "ipps" : parts[4].hasPrefix("_ipp") ? "ipp" : "socket"
            let path = scheme == "socket" ? "" : "/" + (facts["rp"] ?? "ipp/print")
            guard let address = try? PrinterAddress(parsing: "\(scheme)://\(host):\(port)\(path)") else { continue }
            let one = Found(name: unescaped(parts[3]), address: address, facts: facts)
            if !found.contains(where: { $0.name == one.name && $0.address == one.address }) { found.append(one) }
        }
        return found
    }

    /// `\032` is a space: decimal codes of bytes.
    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            let code = rest.prefix(3)
            if first == UInt8(ascii: "\\"), code.count == 3, let value = UInt8(String(decoding: code, as: UTF8.self)) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
