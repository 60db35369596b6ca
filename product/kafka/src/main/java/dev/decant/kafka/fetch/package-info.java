/**
 * Fetching: requests of a consumer, and the handling of their responses. Begin with {@link
 * dev.decant.kafka.fetch.Fetcher}. This package does not use the package {@code consumer}, which is above it. Not
 * exported.
 *
 * <p>Two threads work here. The owner of the loop has sessions, requests and the fetch state of each partition, and
 * fills {@link dev.decant.kafka.fetch.FetchedQueue}. The polling thread empties the queue, and releases records after
 * their delivery. Each method that is not for the owner of the loop names its thread.
 */
@NullMarked
package dev.decant.kafka.fetch;

import org.jspecify.annotations.NullMarked;
