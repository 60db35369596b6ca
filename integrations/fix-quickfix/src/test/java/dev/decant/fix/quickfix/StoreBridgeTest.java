package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import quickfix.MemoryStore;

/** A store of QuickFIX/J below a session of Decant keeps the contract of Decant's stores. */
@Timeout(60)
class StoreBridgeTest {
  private static final SessionId SESSION = SessionId.of("FIX.4.4", "BUYER", "VENUE");

  /** Cannot be read on command, as a database that is not reached. */
  private static final class Remote extends MemoryStore {
    boolean isAway;
    boolean refusesNumbers;

    Remote() throws IOException {}

    @Override
    public Date getCreationTime() throws IOException {
      if (isAway) {
        throw new IOException("the database is away");
      }
      return super.getCreationTime();
    }

    @Override
    public void setNextSenderMsgSeqNum(int next) throws IOException {
      if (refusesNumbers) {
        throw new IOException("the row is locked");
      }
      super.setNextSenderMsgSeqNum(next);
    }
  }

  private final Remote remote = new Remote();
  private final MessageStore store = StoreBridge.factory(session -> remote).open(SESSION, 1);

  StoreBridgeTest() throws IOException {}

  private boolean append(String id) {
    long number = store.nextOutbound();
    String body = "35=D|34=" + number + "|49=BUYER|52=20260314-09:26:53|56=VENUE|11=" + id + '|';
    byte[] message = ("8=FIX.4.4|9=" + body.length() + '|' + body + "10=000|").replace('|', '\u0001')
        .getBytes(StandardCharsets.US_ASCII);
    return store.appendOutbound(number, number, ByteBuffer.wrap(message), 0, message.length);
  }

  private List<String> replayed() throws IOException {
    List<String> ids = new ArrayList<>();
    store.replayOutbound(1, Long.MAX_VALUE, (number, epochNanos, buffer, from, to) -> {
      byte[] bytes = new byte[to - from];
      buffer.get(from, bytes);
      String text = new String(bytes, StandardCharsets.US_ASCII);
      ids.add(number + text.substring(text.indexOf("\u000111=") + 4, text.indexOf("\u000110=")));
      return true;
    });
    return ids;
  }

  /** A session whose numbers began at 0, in 1970, belongs to an earlier trading day: its numbers were reset. */
  @Test
  void timeAtWhichTheNumbersBeganIsKnownWhileTheStoreIsAway() {
    long created = store.createdEpochNanos();
    assertThat(created).isPositive();
    remote.isAway = true;
    assertThat(store.createdEpochNanos()).isEqualTo(created);
  }

  /** An order of before the change was sent again under the number of a Heartbeat. */
  @Test
  void messagesFromANumberThatIsSetBackAreForgotten() throws IOException {
    for (String id : List.of("A", "B", "C", "D")) {
      assertThat(append(id)).isTrue();
    }
    assertThat(store.setNextOutbound(2, 1)).isTrue();
    assertThat(store.setNextOutbound(3, 1)).isTrue(); // A session message has number 2.
    assertThat(append("E")).isTrue();
    assertThat(store.setNextOutbound(5, 1)).isTrue();
    assertThat(replayed()).containsExactly("1A", "3E");
    assertThat(store.nextOutbound()).isEqualTo(5);
  }

  /** The store had the text of an order whose number it refused, and which {@code send} had not accepted. */
  @Test
  void refusedMessageIsNotSentUnderTheNumberOfASessionMessage() throws IOException {
    assertThat(append("A")).isTrue();
    remote.refusesNumbers = true;
    assertThat(append("B")).isFalse();
    assertThat(store.failure()).hasMessage("the row is locked");
    assertThat(store.nextOutbound()).isEqualTo(2);
    remote.refusesNumbers = false;
    assertThat(store.setNextOutbound(3, 1)).isTrue();
    assertThat(append("C")).isTrue();
    assertThat(replayed()).containsExactly("1A", "3C");
  }
}
