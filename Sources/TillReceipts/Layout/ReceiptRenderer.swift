/// Renders receipts. Performs no lookups and cannot fail: the same content yields the same bytes.
///
/// ```swift
/// let sample = ReceiptSample.sale.content()
/// print(ReceiptRenderer.text(sample, columns: 32))
/// let page = ReceiptRenderer.html(sample)
/// let printed = ReceiptRenderer.escpos(ReceiptDocument(sample), profile: .narrow).bytes
/// ```
public enum ReceiptRenderer {}
