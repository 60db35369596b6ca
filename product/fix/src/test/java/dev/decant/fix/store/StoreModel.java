package dev.decant.fix.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The simplest store, with which the others are compared. It refuses nothing. */
final class StoreModel implements MessageStore {
  private final NavigableMap<Long, String> messages = new TreeMap<>();
  private final List<String> arrived = new ArrayList<>();
  private long nextOutbound = 1;
  private long nextInbound = 1;
  private long created;

  StoreModel(long created) {
    this.created = created;
  }

  @Override
  public long nextOutbound() {
    return nextOutbound;
  }

  @Override
  public long nextInbound() {
    return nextInbound;
  }

  @Override
  public long createdEpochNanos() {
    return created;
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    messages.put(number, StoredMessages.text(number, epochNanos, buffer, from, to));
    nextOutbound = number + 1;
    return true;
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    messages.tailMap(number, true).clear();
    nextOutbound = number;
    return true;
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    arrived.add(StoredMessages.text(number, epochNanos, buffer, from, to));
    nextInbound = number + 1;
    return true;
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    nextInbound = number;
    return true;
  }

  @Override
  public boolean reset(long epochNanos) {
    messages.clear();
    arrived.clear();
    nextOutbound = 1;
    nextInbound = 1;
    created = epochNanos;
    return true;
  }

  @Override
  public boolean commit() {
    return true;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) {
    throw new UnsupportedOperationException();
  }

  /** The texts of messages that would be replayed. */
  List<String> outbound(long from, long to) {
    return from > to ? List.of() : List.copyOf(messages.subMap(from, true, to, true).values());
  }

  List<String> arrived() {
    return List.copyOf(arrived);
  }

  @Override
  public IOException failure() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
