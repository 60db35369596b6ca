package dev.decant.fake;

import dev.decant.fake.cluster.Partition;
import dev.decant.fake.share.ShareGroups;
import dev.decant.fake.share.ShareProgress;
import java.util.List;

/** Copies the progress of a share group for a test. Owner of the loop only. */
final class ShareCopy {
  private static final long UNKNOWN = -1;

  private ShareCopy() {}

  static SharedPartition of(ShareGroups groups, String groupId, Partition partition) {
    ShareProgress progress = groups.progress(groupId, partition);
    return progress == null
        ? new SharedPartition(UNKNOWN, UNKNOWN, List.of())
        : new SharedPartition(progress.start(), progress.storedStart(),
            progress.records().stream().map(ShareCopy::record).toList());
  }

  private static SharedPartition.Record record(ShareProgress.Record of) {
    return new SharedPartition.Record(of.offset(), SharedPartition.State.valueOf(of.state().name()), of.deliveries(),
        of.member().isEmpty() ? null : of.member());
  }
}
