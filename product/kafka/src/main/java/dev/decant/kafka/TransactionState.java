package dev.decant.kafka;

/**
 * The states of {@code Transactions}.
 *
 * <pre>
 *                    begin            commit                         acknowledged
 *  OPENING --&gt; READY -------&gt; OPEN ----------&gt; FLUSHING -----&gt; COMMITTING ----&gt; READY
 *                              |                  |  all records       |
 *                              | a record or      | are stored         | the coordinator
 *                              | offset failed    | a record failed    | refuses it
 *                              v                  v                    |
 *                              +--------&gt; MUST_ABORT &lt;-----------------+
 *                              |              | abort
 *                              | abort        v                    acknowledged
 *                              +---------&gt; ABORTING  ---------------------------&gt; READY
 *
 *  FLUSHING --- prepare, all records are stored ---&gt; PREPARED --- commit or abort ---&gt; COMMITTING or ABORTING
 *
 *  any of them --- a fatal error ---&gt; DEAD          any of them --- close ---&gt; CLOSED
 * </pre>
 */
public enum TransactionState {
  /** The coordinator has given no producer id yet. */
  OPENING,
  /** No transaction is open. One may begin, unless these transactions were opened to end a prepared one. */
  READY,
  /** The transaction takes records. */
  OPEN,
  /** The transaction takes no more records, and the accepted ones are being stored. */
  FLUSHING,
  /** All records are stored, and the transaction can be committed or aborted. A close leaves it as it is. */
  PREPARED,
  /** The coordinator has the request to commit; the commit cannot be withdrawn. */
  COMMITTING,
  /** A part of the transaction has failed; it can only be aborted. */
  MUST_ABORT,
  /** Records that were not sent fail, those in flight end first, and then the coordinator gets the abort. */
  ABORTING,
  /** A fatal error: another producer has taken over, or this one lacks a right. */
  DEAD,
  /** The application has closed the transactions. */
  CLOSED
}
