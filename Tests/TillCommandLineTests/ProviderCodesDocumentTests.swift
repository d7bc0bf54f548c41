import Foundation
import Testing
import TillCore
import TillProvider

@testable import TillCommandLine

@Suite("The tables of providers' codes")
struct ProviderCodesDocumentTests {
    /// `TILL_WRITE_DOCS=1` writes the page anew.
    @Test("are the page of the documentation")
    func page() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/PROVIDER_CODES.md")
        let page = ProviderCodePage.markdown(ProviderModules.all)
        if ProcessInfo.processInfo.environment["TILL_WRITE_DOCS"] == "1" { try Data(page.utf8).write(to: file) }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == page, "Run with TILL_WRITE_DOCS=1, or till codes --markdown, to write the page anew.")
    }

    @Test("are there for every provider, and each has a name of its own")
    func names() {
        let tables = ProviderModules.all.flatMap { $0.codes }
        #expect(ProviderModules.all.allSatisfy { !$0.codes.isEmpty })
        #expect(Set(tables.map(\.name)).count == tables.count)
        #expect(tables.allSatisfy { !$0.codes.isEmpty })
    }

    @Test("never let a code that needs a query be tried again without one, nor a wrong key be the customer's fault")
    func sense() {
        for code in ProviderModules.all.flatMap({ $0.codes }).flatMap({ $0.codes }) {
            if code.money == .movedAlready { #expect([.afterQuery, .no].contains(code.retry), "\(code.rawValue)") }
            if code.money == .ourSetup { #expect(code.retry == .afterSetup, "\(code.rawValue)") }
            if [.alreadyRefunded, .nothingLeft].contains(code.reason) {
                #expect(code.money == .movedAlready, "\(code.rawValue)")
            }
        }
    }
}
