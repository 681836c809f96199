#!/usr/bin/env node
import '@zerd/daemon/main';
