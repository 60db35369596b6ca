/** Stand-ins for the classes of the module kafka-apache: the agent knows these by name. */
package dev.decant.kafka.apache;
