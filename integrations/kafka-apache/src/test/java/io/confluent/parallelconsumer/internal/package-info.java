/** A stand-in for parallel-consumer, which Decant recognises by its package. */
package io.confluent.parallelconsumer.internal;
