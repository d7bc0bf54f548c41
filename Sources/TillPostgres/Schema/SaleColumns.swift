import TillJournal

/// The expressions over a payment's first event that its lists by origin are indexed by; see ``SaleOrigin``. A query
/// repeats them to the letter, otherwise it is not served from the index.
enum SaleColumns {
    static let seller = "till_said(body, '{by,id}')"
    static let shop = "till_said(body, '{order,metadata,shop}')"
    static let isBySeller = "version = 1 AND till_said(body, '{by,kind}') = 'staff'"
    static let isOfShop = "version = 1 AND \(shop) IS NOT NULL"

    /// The name of the index that is created last.
    static let lastIndex = "event_seller_shop"

    /// The function and the indexes. Every counter's writes maintain them, also those of an earlier release. The
    /// function has no answer for a damaged event, and for a text that is too long for an index. It is not marked as
    /// safe in parallel: its handler is a subtransaction, which a parallel worker cannot begin.
    static let sql = """
        CREATE OR REPLACE FUNCTION till_said(p_body text, p_path text[]) RETURNS text
          LANGUAGE plpgsql IMMUTABLE STRICT AS $till$
          DECLARE v_said text;
          BEGIN
            v_said := p_body::json #>> p_path;
            RETURN CASE WHEN octet_length(v_said) <= \(SaleOrigin.maximumBytes) THEN v_said END;
          EXCEPTION WHEN data_exception THEN
            RETURN NULL;
          END $till$;
        CREATE INDEX IF NOT EXISTS event_seller ON event(account, \(seller), payment) WHERE \(isBySeller);
        CREATE INDEX IF NOT EXISTS event_shop ON event(account, \(shop), payment) WHERE \(isOfShop);
        CREATE INDEX IF NOT EXISTS \(lastIndex) ON event(account, \(seller), \(shop), payment)
          WHERE \(isBySeller) AND \(isOfShop);
        """
}
