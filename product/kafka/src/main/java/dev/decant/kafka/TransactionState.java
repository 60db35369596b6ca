package dev.decant.kafka;

/**
 * Where {@code Transactions} stand.
 *
 * <pre>
 *                    begin            commit                         acknowledged
 *  OPENING --&gt; READY -------&gt; OPEN ----------&gt; FLUSHING -----&gt; COMMITTING ----&gt; READY
 *                              |                  |  all records       |
 *                              | a record or      | are stored         | the coordinator
 *                              | offset failed    | a record failed    | wants it aborted
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
  /** No transaction is open; one may begin, unless these transactions were opened to end a prepared one. */
  READY,
  /** Records are taken. */
  OPEN,
  /** No more records are taken; those that were are being stored. */
  FLUSHING,
  /** All records are stored, and either end is possible. Closing leaves the transaction as it is. */
  PREPARED,
  /** The coordinator has been told to commit; there is no way back. */
  COMMITTING,
  /** Something of the transaction failed; nothing but to abort it is left. */
  MUST_ABORT,
  /** Records that were not sent are given up, those in flight are awaited, and the coordinator is told. */
  ABORTING,
  /** A fatal error: another producer has taken over, or this one has not the right to go on. */
  DEAD,
  /** Closed by the application. */
  CLOSED
}
