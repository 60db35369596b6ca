/** The state of the cluster: brokers, topics, partitions, settings, time. Owner of the loop only. */
@NullMarked
package dev.decant.fake.cluster;

import org.jspecify.annotations.NullMarked;
