import HTTPTypes
import Testing
import TillCore
import TillStatements
import TillTestSupport

@testable import TillAdyen

/// Adyen's settlement reports, fetched once they were announced.
@Suite("Adyen's statements")
struct AdyenStatementSourceTests {
    private static let start = ManualClock().now()
    private static let header =
        "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,"
        + "Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,"
        + "Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number\n"

    private static func report(_ batch: Int) -> String {
        header
            + "Co,Shop,PSP\(batch),r-1,visa,2027-01-15 09:00:00,CET,Settled,MOD\(batch),EUR,,12.50,1,EUR,,12.38,,0.04,"
            + "0.01,0.07,\(batch)\n"
    }

    private func announced(
        _ name: String, account: String = "Shop", days: Int64 = 1, code: AdyenEventCode = .reportAvailable
    ) -> AdyenNotification {
        AdyenNotification(
            eventCode: code, pspReference: name, originalReference: nil, merchantReference: "",
            merchantAccount: account, amount: nil, success: true, reason: "https://elsewhere.example/\(name)",
            at: Self.start.adding(.days(days)), dispute: nil)
    }

    private func part(
        _ told: [AdyenNotification], _ steps: [ScriptedTransport.Step], isSetUp: Bool = true
    ) async throws -> (part: StatementPart, calls: [ScriptedTransport.Call]) {
        let wire = ScriptedTransport(steps)
        let book = AdyenNotificationLog()
        try await book.take(told)
        let config = try AdyenConfig(merchantAccount: "Shop", apiKey: Secret("key"))
        let source = AdyenStatementSource(
            provider: AdyenProvider(config: config, transport: wire, book: book),
            config: isSetUp
                ? try AdyenReportConfig(
                    user: "report@Company.Shop", password: Secret("p:w"), url: "https://ca-test.adyen.com") : nil,
            transport: wire)
        return (try await source.part(from: Self.start, to: Self.start.adding(.days(7))), wire.calls)
    }

    @Test("what was announced is fetched with the report user's name, from the address that is set and no other")
    func fetched() async throws {
        let (part, calls) = try await part(
            [announced("settlement_detail_report_batch_7.csv")], [.json(200, Self.report(7))])
        #expect(part.lines.map(\.payout) == ["batch 7"] && part.lines[0].net.minorUnits == 1_238)
        let call = try #require(calls.first)
        #expect(call.request.authority == "ca-test.adyen.com" && call.request.scheme == "https")
        #expect(call.request.path == "/reports/download/MerchantAccount/Shop/settlement_detail_report_batch_7.csv")
        #expect(call.field("Authorization") == "Basic cmVwb3J0QENvbXBhbnkuU2hvcDpwOnc=")
        #expect(call.field("X-API-Key") == nil)
    }

    @Test("a batch between two that were announced is fetched, too; other reports, accounts and times are not")
    func gaps() async throws {
        let (part, calls) = try await part(
            [
                announced("settlement_detail_report_batch_7.csv"), announced("settlement_detail_report_batch_9.csv"),
                announced("settlement_detail_report_batch_30.csv", account: "Other"),
                announced("settlement_detail_report_batch_31.csv", days: 8),
                announced("payments_accounting_report_2027_01_15.csv"),
                announced("settlement_detail_report_batch_../../x.csv"),
                announced("settlement_detail_report_batch_40.csv", code: .authorization),
            ], [7, 8, 9].map { .json(200, Self.report($0)) })
        #expect(part.lines.count == 3 && calls.count == 3 && part.covers == nil)
        #expect(calls[1].line.hasSuffix("batch_8.csv"))
    }

    @Test("without a report user, with one that is refused and with an answer that fails nothing is given")
    func refusals() async throws {
        let told = [announced("settlement_detail_report_batch_7.csv")]
        for (steps, isSetUp, code): ([ScriptedTransport.Step], Bool, String) in [
            ([], false, "statement_not_set_up"), ([.json(401, "")], true, "statement_not_set_up"),
            ([.json(404, "")], true, "statement_not_fetched"), ([.json(503, "")], true, "statement_not_fetched"),
            ([.fail(.unknown(reason: "cut"))], true, "statement_not_fetched"),
            ([.json(200, "no report")], true, "statement_unreadable"),
        ] {
            do {
                _ = try await part(told, steps, isSetUp: isSetUp)
                Issue.record("it was fetched")
            } catch let error as StatementError { #expect(error.code == code, "\(error)") }
        }
        #expect(throws: AdyenConfigError.plainHTTP) {
            try AdyenReportConfig(user: "u", password: Secret("p"), url: "http://ca-test.adyen.com")
        }
        for url in ["https://ca-test.adyen.com/x", "ca-test.adyen.com", "https://u@ca-test.adyen.com", "ftp://a"] {
            #expect(throws: AdyenConfigError.self) {
                try AdyenReportConfig(user: "u", password: Secret("p"), url: url)
            }
        }
    }
}
