import Foundation
import Testing
import TillCards
import TillCore
@testable import TillCounter
@testable import TillFeaturePage
import TillTestSupport

@testable import TillServer

/// The page's scripts, run by Node where it is installed; the browser's tests run them in Chromium.
@Suite("The page judges cards as the till does") struct CardNetworksScriptTests {
    static let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("the generated table holds every network with its ranges")
    func table() throws {
        let text = CardNetworksScript.text
        for profile in CardBrandTable.profiles {
            #expect(text.contains(#""brand":"\#(profile.brand)""#))
            for range in profile.prefixes { #expect(text.contains(#"["\#(range.low)","\#(range.high)"]"#)) }
        }
        #expect(text.split(separator: "\n").count == CardBrandTable.profiles.count + 3)
    }

    @Test(
        "each number's state, fault, network and format, and each code's fault, are Swift's", .enabled(if: node != nil))
    func judgement() throws {
        let typed = Self.numbers()
        let rows = typed.map { number, code in JSONValue.array([.string(number), .string(code)]).text }
        let script = """
            import { codeFault, formatNumber, judgeNumber } from "./card-number.mjs";
            const rows = [\(rows.joined(separator: ",\n"))];
            for (const [number, code] of rows) {
              const { state, fault, warning, network } = judgeNumber(number);
              console.log([state, fault ?? "", warning ?? "", network?.brand ?? "", network?.codeName ?? "",
                formatNumber(number, number.length).text, codeFault(code, number) ?? ""].join("|"));
            }
            """
        let lines = try Self.run(script).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        try #require(lines.count == typed.count)
        var wrong = 0
        for (line, (number, code)) in zip(lines, typed) where line != Self.judged(number, code) && wrong < 20 {
            wrong += 1
            #expect(line == Self.judged(number, code), "\(number) \(code)")
        }
        // The table is no small one: each network and each state was among them.
        let seen = Set(lines.map { $0.split(separator: "|", omittingEmptySubsequences: false)[3] })
        #expect(seen.count == CardBrandTable.profiles.filter { !$0.prefixes.isEmpty }.count + 1)
    }

    /// Numbers of all networks and of none, whole and in parts, right and wrong, with codes of all lengths.
    private static func numbers() -> [(String, String)] {
        var random = SeededRandom(seed: 19)
        var typed = ["", " ", "4032-0362.4732 7321", "٤٠٣٢٠٣٦٢", "４０３２ ０３６２", "4032x", "½", "6200680000000005"]
        for profile in CardBrandTable.profiles {
            for range in profile.prefixes {
                for head in [range.low - 1, range.low, range.high, range.high + 1] {
                    for _ in 0..<25 {
                        let rest = (0..<20).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
                        var digits = String("\(head)\(rest)".prefix(Int.random(in: 1...20, using: &random)))
                        if Bool.random(using: &random) { digits = withCheckDigit(digits) }
                        typed.append(digits)
                    }
                }
            }
        }
        let codes = ["", "12", "123", "1234", "12345", "12a", "１２３"]
        return typed.map { ($0, codes.randomElement(using: &random) ?? "") }
    }

    private static func withCheckDigit(_ digits: String) -> String {
        let body = digits.dropLast()
        return (0...9).map { "\(body)\($0)" }.first { LuhnChecksum.isValid($0) } ?? digits
    }

    /// What Swift says of a number and a code, as the script says it.
    private static func judged(_ number: String, _ code: String) -> String {
        let entry = CardNumberEntry(number)
        let state =
            switch entry.state {
            case .incomplete: "incomplete"
            case .valid: "valid"
            case .invalid: "invalid"
            }
        let fault =
            switch entry.whenLeft {
            case .incomplete: "\(CardNumberError.empty)"
            case .valid: ""
            case .invalid(let error): "\(error)"
            }
        let warning =
            switch entry.warnings.first {
            case nil: ""
            case .unusualLength?: "This network's cards have another length."
            case .checkDigit?: "The check digit does not match; this network has such cards."
            }
        var codeFault = ""
        do throws(SecurityCodeError) {
            let digits = TypedDigits.digits(in: number)
            _ = try SecurityCode(code, for: CardBrandTable.candidates(for: digits))
        } catch { codeFault = "\(error)" }
        let network = entry.candidates.first { $0.isCertain }
        return [
            state, fault, warning, network?.brand.rawValue ?? "", network?.profile.codeName ?? "",
            CardNumberFormatter.format(number), codeFault,
        ].joined(separator: "|")
    }

    /// Runs a script beside the page's modules. They are renamed, for Node takes a module by its file's name.
    private static func run(_ script: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "till-page-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let modules: [(String, [UInt8])] = [
            ("card-number", PackageResources.card_number_js), ("typed-digits", PackageResources.typed_digits_js),
            ("card-networks", CardNetworksScript.bytes), ("main", Array(script.utf8)),
        ]
        for (name, bytes) in modules {
            let text = String(decoding: bytes, as: UTF8.self).replacing(#".js";"#, with: #".mjs";"#)
            try Data(text.utf8).write(to: folder.appending(path: "\(name).mjs"))
        }
        let process = Process()
        process.executableURL = URL(filePath: node ?? "")
        process.arguments = [folder.appending(path: "main.mjs").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: said, as: UTF8.self)
    }
}
