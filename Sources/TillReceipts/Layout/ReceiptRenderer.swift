/// Writes a receipt out. Nothing is looked up and nothing can fail: the same content gives the same bytes.
public enum ReceiptRenderer {}
