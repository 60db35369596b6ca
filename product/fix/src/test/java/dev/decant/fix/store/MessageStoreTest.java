package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.bytes;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.receive;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static dev.decant.fix.store.StoredMessages.text;
import static dev.decant.fix.store.StoredMessages.time;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of the stores, tested with each of them. */
@Timeout(60)
class MessageStoreTest {
  private static final int MANY = 2000;

  @TempDir
  Path folder;

  @ParameterizedTest
  @EnumSource
  void newStoreBeginsWithOne(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      assertThat(store.nextOutbound()).isOne();
      assertThat(store.nextInbound()).isOne();
      assertThat(store.createdEpochNanos()).isEqualTo(BEGUN);
      assertThat(store.failure()).isNull();
      assertThat(store.commit()).isTrue();
      assertThat(replayed(store)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreReplayedInTheOrderOfTheirNumbers(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      sendNumbered(store, MANY);

      assertThat(store.nextOutbound()).isEqualTo(MANY + 1);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, MANY));
      for (long from = 1; from <= MANY; from += 97) {
        assertThat(replayed(store, from, from + 10)).isEqualTo(numberedTexts(from, Math.min(MANY, from + 10)));
      }
      assertThat(replayed(store, MANY + 1, MANY + 10)).isEmpty();
      assertThat(replayed(store, 10, 9)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void replayEndsWhenTheHandlerSaysSoAndResumesWhereItLikes(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      sendNumbered(store, MANY);
      List<Long> numbers = new ArrayList<>();
      long next = 1;
      while (next <= MANY) {
        int before = numbers.size();
        store.replayOutbound(next, MANY, (number, time, buffer, from, to) -> {
          numbers.add(number);
          return numbers.size() - before < 7;
        });
        next = numbers.getLast() + 1;
      }
      assertThat(numbers).hasSize(MANY).isSorted().doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @EnumSource
  void numbersWithoutMessageAreLeftOut(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      store.setNextOutbound(5, BEGUN);
      send(store, "five");
      store.setNextOutbound(9, BEGUN);
      send(store, "nine");

      assertThat(replayed(store)).containsExactly(text(5, time(5), "five"), text(9, time(9), "nine"));
      assertThat(replayed(store, 6, 8)).isEmpty();
      assertThat(replayed(store, 1, 5)).containsExactly(text(5, time(5), "five"));
      assertThat(store.nextOutbound()).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @EnumSource
  void numberThatIsSetBackForgetsTheMessagesFromItOn(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      sendNumbered(store, MANY);
      store.setNextOutbound(MANY / 2, BEGUN);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, MANY / 2 - 1));

      send(store, "another");
      assertThat(replayed(store, MANY / 2 - 1, MANY)).containsExactly(
          numberedTexts(MANY / 2 - 1, MANY / 2 - 1).getFirst(), text(MANY / 2, time(MANY / 2), "another"));

      store.setNextOutbound(3, BEGUN);
      sendNumbered(store, 1);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 3));
    }
  }

  @ParameterizedTest
  @EnumSource
  void resetBeginsAnew(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      for (int day = 1; day < 20; day++) {
        sendNumbered(store, day * 10);
        receive(store, "in");
        assertThat(store.reset(BEGUN + day)).isTrue();
        assertThat(store.nextOutbound()).isOne();
        assertThat(store.nextInbound()).isOne();
        assertThat(store.createdEpochNanos()).isEqualTo(BEGUN + day);
        assertThat(replayed(store)).isEmpty();
      }
      sendNumbered(store, 3);
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 3));
    }
  }

  @ParameterizedTest
  @EnumSource
  void inboundNumbersAdvanceAndAreSet(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      assertThat(receive(store, "one")).isTrue();
      assertThat(receive(store, "two")).isTrue();
      assertThat(store.nextInbound()).isEqualTo(3);
      assertThat(store.setNextInbound(40, BEGUN)).isTrue();
      assertThat(receive(store, "forty")).isTrue();
      assertThat(store.nextInbound()).isEqualTo(41);
      assertThat(store.nextOutbound()).isOne();
    }
  }

  @ParameterizedTest
  @EnumSource
  void bufferOfTheCallerIsLeftAsItIs(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      ByteBuffer heap = ByteBuffer.wrap("....message....".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
          .position(2);
      store.appendOutbound(1, BEGUN, heap, 4, 11);
      store.appendInbound(1, BEGUN, heap, 4, 11);
      store.appendOutbound(2, BEGUN, heap.asReadOnlyBuffer(), 4, 11);

      assertThat(heap.position()).isEqualTo(2);
      assertThat(heap.limit()).isEqualTo(15);
      assertThat(replayed(store)).containsExactly(text(1, BEGUN, "message"), text(2, BEGUN, "message"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void handlerCannotWriteToWhatIsStored(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      sendNumbered(store, 1);
      store.replayOutbound(1, 1, (number, time, buffer, from, to) -> {
        assertThat(buffer.isReadOnly()).isTrue();
        return true;
      });
    }
  }

  @ParameterizedTest
  @EnumSource
  void messageOfAnotherNumberIsMisuse(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      ByteBuffer body = bytes("body");
      assertThatIllegalArgumentException().isThrownBy(() -> store.appendOutbound(2, BEGUN, body, 0, 4));
      assertThatIllegalArgumentException().isThrownBy(() -> store.appendInbound(0, BEGUN, body, 0, 4));
      assertThatIllegalArgumentException().isThrownBy(() -> store.setNextOutbound(0, BEGUN));
      assertThatIllegalArgumentException().isThrownBy(() -> store.setNextInbound(-1, BEGUN));
      ByteBuffer large = ByteBuffer.allocateDirect(32 << 20);
      assertThatIllegalArgumentException().isThrownBy(() -> store.appendOutbound(1, BEGUN, large, 0, 32 << 20))
          .withMessageContaining("Bytes");
      assertThat(store.nextOutbound()).isOne();
      assertThat(store.nextInbound()).isOne();
    }
  }

  @ParameterizedTest
  @EnumSource
  void emptyMessageIsKept(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      send(store, "");
      send(store, "x");
      assertThat(replayed(store)).containsExactly(text(1, time(1), ""), text(2, time(2), "x"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void closedStoreSaysSo(StoreKind kind) throws IOException {
    MessageStore store = kind.open(folder);
    store.close();
    store.close();
    assertThatIllegalStateException().isThrownBy(() -> send(store, "late")).withMessageContaining("closed");
    assertThatIllegalStateException().isThrownBy(store::commit).withMessageContaining("closed");
    assertThatIllegalStateException().isThrownBy(() -> replayed(store)).withMessageContaining("closed");
  }

  @ParameterizedTest
  @EnumSource
  void handlerMayAppendWhileItReads(StoreKind kind) throws IOException {
    try (MessageStore store = kind.open(folder)) {
      sendNumbered(store, 500);
      List<Long> numbers = new ArrayList<>();
      store.replayOutbound(1, 500, (number, time, buffer, from, to) -> {
        numbers.add(number);
        sendNumbered(store, 2);
        return true;
      });
      assertThat(numbers).hasSize(500).isSorted();
      assertThat(replayed(store)).isEqualTo(numberedTexts(1, 1500));
    }
  }
}
