/** The start of the lab out of one jar. */
package dev.decant.launch;
