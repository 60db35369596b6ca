package dev.decant.fix.conformance;

import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The simplest implementation of the store's contract. */
final class StoreInMemory implements MessageStore {
  private record Kept(long epochNanos, ByteBuffer bytes) {}

  private final NavigableMap<Long, Kept> messages = new TreeMap<>();
  private long outbound = 1;
  private long inbound = 1;
  private long created;

  StoreInMemory(long epochNanos) {
    created = epochNanos;
  }

  @Override
  public long nextOutbound() {
    return outbound;
  }

  @Override
  public long nextInbound() {
    return inbound;
  }

  @Override
  public long createdEpochNanos() {
    return created;
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireTurn("outbound", number, outbound);
    messages.put(number, new Kept(epochNanos, ByteBuffer.allocateDirect(to - from).put(0, buffer, from, to - from)));
    outbound++;
    return true;
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    messages.tailMap(number, true).clear();
    outbound = number;
    return true;
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireTurn("inbound", number, inbound);
    inbound++;
    return true;
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    inbound = number;
    return true;
  }

  @Override
  public boolean reset(long epochNanos) {
    messages.clear();
    outbound = 1;
    inbound = 1;
    created = epochNanos;
    return true;
  }

  @Override
  public boolean commit() {
    return true;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    for (Map.Entry<Long, Kept> entry : messages.subMap(fromNumber, true, toNumber, true).entrySet()) {
      ByteBuffer bytes = entry.getValue().bytes;
      if (!replay.onMessage(entry.getKey(), entry.getValue().epochNanos, bytes, 0, bytes.capacity())) {
        return;
      }
    }
  }

  @Override
  public @Nullable IOException failure() {
    return null;
  }

  @Override
  public void close() {}

  private static void requireTurn(String what, long number, long next) {
    if (number != next) {
      throw new IllegalStateException(what + " number " + number + " is not the next one, " + next);
    }
  }
}
