package import Foundation
package import TillCore

/// Amounts and times as the receipts of a shop show them, for its other papers.
package struct ReceiptFormat: Sendable {
    /// The labels, which also say the language and the direction of the text.
    package let labels: ReceiptLabels
    private let locale: Locale
    private let zone: TimeZone

    /// - Parameter zone: The shop's time zone.
    package init(_ locale: Locale, zone: TimeZone) {
        (self.locale, self.zone) = (locale, zone)
        labels = ReceiptLabels(locale)
    }

    /// The mark of a copy that is or may be on paper already.
    package var reprint: ReceiptText { labels[.reprint] }

    /// The mark of test mode, so that the paper cannot be mistaken for one about money.
    package var testNotice: ReceiptDocument.Block {
        .notice(ReceiptText(own: "TEST"), labels[.sentenceTest], label: labels[.result], isWarning: true)
    }

    /// Returns the name of the shop as a heading, or that it is missing.
    package func heading(of store: StoreDetails) -> ReceiptDocument.Block {
        .heading(store.name.plain.isEmpty ? labels[.missing] : store.name)
    }

    /// Returns an amount with its currency.
    package func amount(_ money: Money) -> ReceiptText {
        ReceiptText(verbatim: MoneyWords.of(locale, money.currency).text(money))
    }

    /// Returns date, time and offset on the shop's clock.
    package func time(_ moment: Timestamp) -> String {
        LocalTime.text(moment, in: zone, as: LocalTime.DayOrder(labels))
    }
}
