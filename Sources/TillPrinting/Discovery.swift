import Dispatch
import Foundation

/// Printers that are announced on the network (DNS-SD), found through Avahi's own browser on Linux.
///
/// ```swift
/// if let found = await PrinterDiscovery.find() {
///     for printer in found { print(printer.name, printer.address) }
/// }
/// ```
public enum PrinterDiscovery {
    /// A discovered printer.
    public struct Found: Hashable, Sendable {
        /// The printer's own name.
        public let name: String
        /// The printer's address.
        public let address: PrinterAddress
        /// The printer's announced attributes: `pdl`, `ty`, `note`.
        public let facts: [String: String]
    }

    /// The maximum number of listed printers.
    public static let maximumFound = 200

    /// Discovers printers; `nil` if this machine has no means of discovery.
    public static func find() async -> [Found]? {
        guard
            let browser = ["/usr/bin/avahi-browse", "/usr/local/bin/avahi-browse"]
                .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        return await withTaskGroup(of: (Int, [Found]?).self) { group in
            for (place, service) in services.enumerated() {
                group.addTask {
                    // `-k`: service types as on the network, not localized.
                    let text = await run(browser, ["-rptk", service])
                    return (place, text.map { parse($0, service: service) })
                }
            }
            var all: [Int: [Found]] = [:]
            for await (place, found) in group { all[place] = found }
            guard all.count == services.count else { return nil }
            return Array(services.indices.flatMap { all[$0] ?? [] }.prefix(maximumFound))
        }
    }

    /// The searched services, the best first: IPP over TLS, IPP, a receipt printer's port.
    private static let services = ["_ipps._tcp", "_ipp._tcp", "_pdl-datastream._tcp"]

    private static func run(_ program: String, _ arguments: [String]) async -> String? {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: waitFor(program, arguments)) }
        }
    }

    private static func waitFor(_ program: String, _ arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // `-t` ends by itself; otherwise it is terminated.
        let guardTask = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 8, execute: guardTask)
        let data = output.fileHandleForReading.readDataToEndOfFile().prefix(1 << 20)
        process.waitUntilExit()
        guardTask.cancel()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }

    /// Parses the browser's lines: `=;eth0;IPv4;name;type;domain;host;address;port;"key=value" …`.
    static func parse(_ text: String, service: String) -> [Found] {
        var found: [Found] = []
        for line in text.split(separator: "\n") where line.hasPrefix("=;") {
            let parts = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 10, let port = Int(parts[8]) else { continue }
            var facts: [String: String] = [:]
            for item in parts[9].components(separatedBy: "\" \"") {
                let pair = item.trimmingCharacters(in: ["\""]).split(separator: "=", maxSplits: 1)
                if pair.count == 2, facts.count < 64 { facts[String(pair[0])] = String(pair[1]) }
            }
            // The third field is the protocol of the answer, not of the address in it.
            let host = parts[7].contains(":") ? "[\(parts[7])]" : parts[7]
            let scheme = service.hasPrefix("_ipps") ? "ipps" : service.hasPrefix("_ipp") ? "ipp" : "socket"
            let path = scheme == "socket" ? "" : "/" + (facts["rp"] ?? "ipp/print")
            guard let address = try? PrinterAddress(parsing: "\(scheme)://\(host):\(port)\(path)") else { continue }
            let one = Found(name: unescaped(parts[3]), address: address, facts: facts)
            if !found.contains(where: { $0.name == one.name && $0.address == one.address }) { found.append(one) }
        }
        return found
    }

    /// Decodes decimal escapes of bytes: `\032` is a space.
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
