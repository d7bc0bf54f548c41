internal import HTTPTypes
internal import TillCore
internal import TillProvider
internal import TillStatements

/// Adyen's settlement details reports, fetched once a webhook has announced them (`REPORT_AVAILABLE`).
///
/// Only the report's name is used from the webhook, because its signature covers that: the address comes from the
/// settings, so the report user's password is sent nowhere else. Batches are numbered; one between two announced
/// batches is fetched as well, so that a lost webhook leaves no gap.
struct AdyenStatementSource: StatementSource {
    /// The prefix of a report's name, before the batch number.
    static let name = "settlement_detail_report_batch_"
    /// Maximum number of reports per request.
    static let maximumReports = 100

    let provider: AdyenProvider
    /// The report user's configuration; `nil` if not set up.
    let config: AdyenReportConfig?
    let transport: any HTTPTransport

    /// The lag of the settlement report: a capture may be settled up to a week later.
    var lag: Span { AdyenSettlementReport().lag }

    func account() async -> String? { await provider.identity().account }

    func part(from: Timestamp, to: Timestamp) async throws(StatementError) -> StatementPart {
        try await part(from: from, to: to, progress: nil)
    }

    func part(
        from: Timestamp, to: Timestamp, progress: FetchProgress?
    ) async throws(StatementError) -> StatementPart {
        guard let config else {
            throw StatementError(
                "Adyen gives reports only to a report user, and none is configured",
                remedy: .setUp(
                    "Make a report user at Adyen, and set \(Setting.adyenReportUser.variable) and "
                        + "\(Setting.adyenReportPassword.variable). Or give the report as a file."))
        }
        var lines: [StatementLine] = []
        for batch in try await batches(from: from, to: to) {
            lines += try AdyenSettlementReport().lines(of: try await report(batch, config, progress))
            guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        }
        return StatementPart(lines)
    }

    /// Returns the batches announced in a period, including those between them.
    private func batches(from: Timestamp, to: Timestamp) async throws(StatementError) -> [Int64] {
        let announced: [AdyenNotification]
        do throws(AdyenNotificationLogError) { announced = try await provider.book.reports() } catch {
            throw StatementError("\(error)", remedy: .askAgain)
        }
        let account = await account()
        let numbers = announced.filter { report in
            report.success && report.merchantAccount == account && (report.at.map { $0 >= from && $0 <= to } ?? true)
        }.compactMap { AdyenStatementSource.batch(of: $0.pspReference) }
        guard let first = numbers.min(), let last = numbers.max() else { return [] }
        guard last - first < Int64(AdyenStatementSource.maximumReports) else {
            throw StatementError(
                "Adyen has announced more than \(AdyenStatementSource.maximumReports) batches of that time",
                remedy: .split)
        }
        return Array(first...last)
    }

    /// Returns the batch number in a report's name; `nil` for any other name.
    static func batch(of report: String) -> Int64? {
        guard report.hasPrefix(name), report.hasSuffix(".csv") else { return nil }
        let digits = report.dropFirst(name.utf8.count).dropLast(4)
        guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits)
    }

    private func report(
        _ batch: Int64, _ config: AdyenReportConfig, _ progress: FetchProgress?
    ) async throws(StatementError) -> [UInt8] {
        let file = "\(AdyenStatementSource.name)\(batch).csv"
        guard let account = await account().flatMap({ AdyenStatementSource.segment($0) }) else {
            throw StatementError("the merchant account's name cannot be part of a URL")
        }
        var request = HTTPRequest(
            method: .get, scheme: config.scheme, authority: config.authority,
            path: "/reports/download/MerchantAccount/\(account)/\(file)")
        request.headerFields[.authorization] = config.authorization.reveal()
        request.headerFields[.accept] = "text/csv"
        request.headerFields[.userAgent] = "Till/1 (payments in Swift)"
        let (head, body) = try await StatementDownload("Adyen's report \(file)", over: transport, progress: progress)
            .fetch(request)
        switch head.status.code {
        case 200: return body
        case 401, 403:
            throw StatementError(
                "Adyen denies this report user \(file) (HTTP \(head.status.code))",
                remedy: .setUp(
                    "Check \(Setting.adyenReportUser.variable), its password and its role at Adyen, or give the report "
                        + "as a file."))
        default:
            throw StatementError("Adyen answered HTTP \(head.status.code) for \(file)", remedy: .askAgain)
        }
    }

    /// Returns a name as a path segment; `nil` if it could be more than one.
    private static func segment(_ name: String) -> String? {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F
        }
        return isPlain && !name.isEmpty ? name : nil
    }
}
