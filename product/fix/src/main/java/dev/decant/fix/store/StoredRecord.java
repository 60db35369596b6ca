package dev.decant.fix.store;

import dev.decant.fix.record.RecordKind;
import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * A record of a store in files, as {@link StoreReader} shows it.
 *
 * @param ordinal 1 for the first record of the store, one more for each later one
 * @param kind the meaning of the record
 * @param number MsgSeqNum(34), or the number that was set
 * @param time when the message was sent or arrived, or the number was set
 * @param message the bytes of the message, from position to limit; empty if there is none
 */
public record StoredRecord(long ordinal, Kind kind, long number, Instant time, ByteBuffer message) {
  /** The meaning of a record. */
  public enum Kind {
    /** A message was sent. */
    SENT,
    /** The number of the next message to be sent was set. Messages from it on are forgotten. */
    NEXT_OUTBOUND,
    /** A message arrived in its turn. Its bytes may be stored. */
    RECEIVED,
    /** The number of the next message expected was set. */
    NEXT_INBOUND,
    /** Both numbers were reset to 1. */
    RESET;

    static Kind of(int recordKind) {
      return switch (recordKind) {
        case RecordKind.OUTBOUND -> SENT;
        case RecordKind.NEXT_OUTBOUND -> NEXT_OUTBOUND;
        case RecordKind.INBOUND, RecordKind.INBOUND_MESSAGE -> RECEIVED;
        case RecordKind.NEXT_INBOUND -> NEXT_INBOUND;
        default -> RESET;
      };
    }
  }
}
