/** A stand-in for parallel-consumer, which Decant knows by its package. */
package io.confluent.parallelconsumer.internal;
