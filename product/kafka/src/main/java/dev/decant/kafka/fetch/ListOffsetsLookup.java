package dev.decant.kafka.fetch;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the offsets at which assigned partitions begin or end (ListOffsets), with one request per leader at a time.
 * Owner of the loop only.
 */
final class ListOffsetsLookup {
  private static final int MAX_VERSION = 10;
  private static final int CONSUMER = -1;
  /** Special timestamp for the end of a log. */
  private static final long LATEST = -1;

  /** A partition and its number of seeks when the lookup began. */
  private record Lookup(PartitionFetchState partition, int seeks) {
    boolean isCurrent() {
      return seeks == partition.seeks && !partition.removed;
    }
  }

  private final Fetcher fetcher;
  /** Partitions to look up in the next {@link #send()}, by leader. */
  private final Map<BrokerLink, List<PartitionFetchState>> wanted = new LinkedHashMap<>();

  ListOffsetsLookup(Fetcher fetcher) {
    this.fetcher = fetcher;
  }

  /** Adds a partition to the next {@link #send()}. */
  void want(PartitionFetchState p, BrokerLink link) {
    if (p.lookupInFlight) {
      return;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      return;
    }
    wanted.computeIfAbsent(link, key -> new ArrayList<>()).add(p);
  }

  void send() {
    if (!wanted.isEmpty()) {
      wanted.forEach(this::send);
      wanted.clear();
    }
  }

  private void send(BrokerLink link, List<PartitionFetchState> partitions) {
    Map<TopicPartition, Lookup> lookups = new LinkedHashMap<>();
    Map<String, ListOffsetsRequest.ListOffsetsTopic> topics = new LinkedHashMap<>();
    for (PartitionFetchState p : partitions) {
      p.lookupInFlight = true;
      lookups.put(p.name(), new Lookup(p, p.seeks));
      topics.computeIfAbsent(p.topic, name -> new ListOffsetsRequest.ListOffsetsTopic().name(name)
          .partitions(new ArrayList<>())).partitions().add(new ListOffsetsRequest.ListOffsetsPartition()
              .partitionIndex(p.partition).currentLeaderEpoch(p.leaderEpoch).timestamp(p.resetTimestamp));
    }
    ListOffsetsRequest request = new ListOffsetsRequest().replicaId(CONSUMER)
        .isolationLevel(fetcher.isolation()).topics(new ArrayList<>(topics.values()));
    link.send(new LookupCall(request, lookups));
  }

  /** The request to one leader. */
  private final class LookupCall extends Call {
    private final ListOffsetsRequest request;
    private final Map<TopicPartition, Lookup> lookups;

    LookupCall(ListOffsetsRequest request, Map<TopicPartition, Lookup> lookups) {
      super(ApiKey.LIST_OFFSETS, FetchSettings.leastListOffsetsVersion(request.isolationLevel()), MAX_VERSION);
      this.request = request;
      this.lookups = lookups;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      ListOffsetsResponse response = ListOffsetsResponse.read(in, version);
      Map<TopicPartition, Lookup> left = new HashMap<>(lookups);
      for (ListOffsetsResponse.ListOffsetsTopicResponse topic : response.topics()) {
        for (ListOffsetsResponse.ListOffsetsPartitionResponse p : topic.partitions()) {
          Lookup of = p.partitionIndex() < 0 ? null : left.remove(new TopicPartition(topic.name(), p.partitionIndex()));
          if (of != null && of.isCurrent()) { // else sought since the request
            of.partition().lookupInFlight = false;
            take(of, p);
          }
        }
      }
      for (Lookup of : left.values()) {
        if (of.isCurrent()) {
          of.partition().lookupInFlight = false;
          failed(of.partition(), ErrorCode.NONE, "did not name it in its response");
        }
      }
      fetcher.markDirty();
      fetcher.doWork();
    }

    private void failed(PartitionFetchState p, ErrorCode code, String what) {
      fetcher.lookupFailed(p,
          TopicException.of(code, p.topic, "offset of " + p + ": broker " + brokerName() + " " + what),
          code == ErrorCode.NONE || code.isRetriable());
    }

    private void take(Lookup of, ListOffsetsResponse.ListOffsetsPartitionResponse response) {
      PartitionFetchState p = of.partition();
      ErrorCode code = ErrorCode.of(response.errorCode());
      if (code == ErrorCode.NONE && response.offset() >= 0) {
        p.foundAt(response.offset(), PartitionFetchState.NO_EPOCH, false);
        fetcher.positionFound(p);
      } else if (code == ErrorCode.NONE && p.resetTimestamp >= 0) { // all records are older than the timestamp
        p.resetTimestamp = LATEST;
      } else {
        failed(p, code, "answered " + code);
      }
    }

    @Override
    protected void onFailure(KafkaException cause) {
      failed(cause, true);
    }

    @Override
    protected void onUnsupported(KafkaException cause) {
      failed(cause, false);
    }

    private void failed(KafkaException cause, boolean passes) {
      for (Lookup of : lookups.values()) {
        if (of.isCurrent()) {
          of.partition().lookupInFlight = false;
        }
        fetcher.lookupFailed(of.partition(), cause, passes);
      }
    }
  }
}
