enum PaymentTable {
    static let commands = """
        """
    static let answers = """
        """
}
